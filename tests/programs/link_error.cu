// What no file defines.
// WITH parts/missing.cpp
// COMPILE => 1 parts/missing.cpp:2: nothing defines never_defined\(int\), which the program calls: add the file
int main() {}
// SLOW
