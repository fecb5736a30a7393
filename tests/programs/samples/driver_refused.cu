// What does not compile is said in a sentence or two, at the line of the program.
// COMPILE => 1 ^[^\n]*driver_refused.cu:5: cuInit belongs to the driver API
#include <cuda.h> 
int main() {
 cuInit(0); }
