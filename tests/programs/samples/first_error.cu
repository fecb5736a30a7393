// What does not compile is said in a sentence or two, at the line of the program.
// COMPILE => 1 ^[^\n]*first_error.cu:3: error: 'undeclared' was not declared in this scope\n +3 \| .*\n[^\n]*\n\(and \d more error
__global__ void k(int* x) { *x = undeclared; }
int main() { k<<<1, 32>>>(nullptr); also; }
