#include "host_part.h"
int add_in_c(int a, int b) { int class = a + b; return class; }
