int never_defined(int);
int use() { return never_defined(3); }
