// A standard that nvcc does not compile is refused, not taken for an older one.
// WITH -std=c++23
// COMPILE => 2 run: -std is 'c\+\+23'; it must be c\+\+17 \(the default, also used for older standards\) or c\+\+20\.
int main() {}
// SLOW
