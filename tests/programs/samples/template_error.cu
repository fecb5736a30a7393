// What does not compile is said in a sentence or two, at the line of the program.
// COMPILE => 1 ^[^\n]*template_error.cu:5: error: 
template <typename T> __global__ void k(T x) {}

int main() { k<<<1, 32>>>(); }
