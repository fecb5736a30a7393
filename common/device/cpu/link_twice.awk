# link_twice.awk -v unit=N [-v uncounted=1] FILE.s FILE.s: the assembly of one of a reader's files, which is
# compiled twice, so that both can be linked into one program.
#
# Of the first compilation, whose launches are counted, local symbols get a global name beside their own. The
# second, of uncounted launches, gets names of its own for all that it defines but for variables, which are the
# first one's; initialises nothing before main(); and lists its kernels beside the counted ones.

function shared_name(symbol) { return symbol in global ? symbol : "cpu_device_" unit "_" symbol }

function new_name(symbol) {
    return symbol in dropped ? shared_name(symbol) : symbol in defined ? "cpu_device_uncounted_" unit "_" symbol : symbol
}

function renamed(line, from, done, symbol) {
    while (match(substr(line, from), /[A-Za-z_.][A-Za-z0-9_.$]*/)) {
        symbol = substr(line, from + RSTART - 1, RLENGTH)
        done = done substr(line, from, RSTART - 1) new_name(symbol)
        from += RSTART + RLENGTH - 1
    }
    return done substr(line, from)
}

NR == FNR { # what there is
    if ($1 == ".section")
        kind = /"[a-zA-Z]*T/ ? "thread" : /"[a-zA-Z]*w/ ? "variable" : "other"
    else if ($1 == ".data" || $1 == ".bss")
        kind = "variable"
    else if ($1 == ".text")
        kind = "other"
    else if ($1 == ".globl" || $1 == ".weak")
        global[$2]
    else if ($1 == ".comm" || $1 == ".lcomm") {
        split($2, words, ",")
        defined[words[1]] = "variable"
    } else if ($1 == ".set") {
        split($2, words, ",")
        defined[words[1]] = kind
    } else if (/^[A-Za-z_][A-Za-z0-9_.$]*:/) {
        label = substr($1, 1, index($1, ":") - 1)
        defined[label] = kind
    } else if (/# a kernel of cpu_device/) {
        kernel[label]
    }
    next
}

FNR == 1 && uncounted {
    for (symbol in defined)
        if (defined[symbol] == "variable")
            dropped[symbol]
}

!uncounted { print; next }

/^[A-Za-z_]/ {
    symbol = substr($1, 1, index($1, ":") - 1)
    if (!(symbol in dropped))
        print new_name(symbol) ":"
    next
}
$1 == ".section" && /\.(init|fini|preinit)_array|\.ctors|\.dtors/ { print "\t.section .cpu_device_ignored,\"aw\""; next }
$1 ~ /^\.(globl|weak|local|comm|lcomm|type|size|hidden|internal|protected|addrsig_sym)$/ {
    split($2, words, ",")
    if (words[1] in dropped)
        next
}
$1 ~ /^\.(string|ascii|asciz|file|ident|loc)$/ || /^\t?#/ { print; next }
{ # all but an instruction's or a directive's own name
    match($0, /^[ \t]*[^ \t]*/)
    print substr($0, 1, RLENGTH) renamed(substr($0, RLENGTH + 1), 1)
}

END {
    if (uncounted) {
        print "\t.section cpu_device_uncounted,\"aw\"\n\t.balign 8"
        for (symbol in kernel)
            printf "\t.weak %s\n\t.quad %s, %s\n", shared_name(symbol), shared_name(symbol), new_name(symbol)
    } else
        for (symbol in defined)
            if (!(symbol in global) && defined[symbol] != "thread")
                printf "\t.globl cpu_device_%s_%s\n\t.set cpu_device_%s_%s, %s\n", unit, symbol, unit, symbol, symbol
}
