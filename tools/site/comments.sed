# What Doxygen misreads in a comment: `--n` becomes a dash, and the dot of `./run` ends the brief.
/\/\/\//{
s#`\./run#`run#g
s#(^|[^`[:alnum:]-])--([a-z])#\1\\--\2#g
}
