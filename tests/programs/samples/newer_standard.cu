// A standard that nvcc does not compile is refused, not taken for an older one.
// WITH -std=c++23
// COMPILE => 2 compile_cuda: -std=c\+\+23 is newer than what nvcc compiles: -std=c\+\+20 is the newest\.
int main() {}
