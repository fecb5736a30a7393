void print_launches();
