// What does not compile is said in a sentence or two, at the line of the program.
// COMPILE => 1 ^[^\n]*header_missing.cu:3: there is no 'not_here.h': name its folder with -I DIR
#include "not_here.h"
int main() {}
