// What does not compile is said in a sentence or two, at the line of the program.
// COMPILE => 1 ^[^\n]*thrust_refused.cu:3: Thrust runs on a GPU only
#include <thrust/device_vector.h>
int main() { thrust::device_vector<int> v(3); }
