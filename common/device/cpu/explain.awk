# explain.awk GAPS MESSAGES: what a compiler or linker said of a reader's program, in as few lines as help.
# Of what the CPU device is known not to have, a sentence each, with file, line, name and remedy; else the
# first error, at the reader's own line. `own` lists the folders of our headers, with tabs between.

FNR == NR { # GAPS: a regular expression of names, and what to say of them
    if ($0 !~ /^(#|$)/) {
        tab = index($0, "\t")
        names[++gaps] = "^(" substr($0, 1, tab - 1) ")$"
        remedies[gaps] = substr($0, tab + 1)
    }
    next
}

function is_own(file, i, folders, n) {
    n = split(own, folders, "\t")
    for (i = 1; i <= n; i++)
        if (index(file, folders[i]) == 1)
            return 1
    return 0
}

function say(sentence) {
    if (!said[sentence]++)
        sentences[++count] = sentence
}

# "file.cu:12" of "file.cu:12:34: error: ..."
function place_of(line) {
    return match(line, /^[^:]+:[0-9]+/) ? substr(line, 1, RLENGTH) : ""
}

function first_quoted(line) {
    return match(line, /'[^']+'/) ? substr(line, RSTART + 1, RLENGTH - 2) : ""
}

# Where an error inside a header comes from: the reader's last line before it.
/^In file included from / || /^ +from / || /(required|instantiation|instantiated|expansion).* (from|here|of)/ {
    line = $0
    sub(/^(In file included)? *from /, "", line)
    place = place_of(line)
    if (place != "" && !is_own(place))
        origin = place
    included = place
}

/: (fatal )?error: / || /undefined reference to/ || /multiple definition of/ {
    place = place_of($0)
    text = $0
    sub(/^.*: (fatal )?error: /, "", text)
    name = first_quoted(text)
    if (text ~ /No such file or directory|file not found/) {
        sub(/:? (No such file or directory|file not found).*/, "", text)
        gsub(/^'|'$/, "", text)
        name = text
        if (!is_known(name))
            say(place ": there is no '" name "': name its folder with -I DIR.")
        else
            tell(place, name)
    } else if (text ~ /undefined reference to/) {
        sub(/.*undefined reference to [`']/, "", text)
        sub(/'$/, "", text)
        if (place == "" || place ~ /\.o:/)
            place = "the program"
        if (!is_known(text))
            say(place ": nothing defines " text ", which the program calls: name the file that does beside the others, or its library with -l.")
        else
            tell(place, text)
    } else if (text ~ /multiple definition of/) {
        sub(/.*multiple definition of [`']/, "", text)
        sub(/'.*/, "", text)
        say("Two of the files define " text ": name only one of them.")
    } else if (is_known(name) && text ~ /not (been )?declared|not a member|does not name|has no member|unknown type|undeclared|no member|not a class|not declare/) {
        tell(is_own(place) && origin != "" ? origin : place, name)
    } else if (!errors++) {
        first = (is_own(place) && origin != "" ? origin : place) ": error: " text
        excerpt = !is_own(place)
        next
    } else {
        excerpt = 0
    }
    origin = ""
    next
}

# The line of source under the first error, with its caret.
excerpt && /^ +[0-9]* \|/ && lines < 3 { first = first "\n" $0; lines++; next }
excerpt && lines > 0 { excerpt = 0 }

# Sentences of the rewriter, and what is no error of a compiler's at all.
!/: (note|warning): |^ |^In file|: In |^cc1|^collect2|ld: |ld returned|compilation terminated|^[0-9]+ errors? generated/ {
    other[++others] = $0
}

function is_known(wanted, i) {
    for (i = 1; i <= gaps; i++)
        if (wanted ~ names[i])
            return 1
    return 0
}

# One sentence a gap: the first name stands for all of its kind.
function tell(place, wanted, i, remedy) {
    for (i = 1; wanted !~ names[i]; i++)
        ;
    remedy = remedies[i]
    gsub(/NAME/, wanted, remedy)
    if (!told[i]++)
        say(place ": " remedy)
}

END {
    for (i = 1; i <= count && i <= 5; i++)
        print sentences[i]
    if (count > 5)
        print "... and " count - 5 " more of these."
    if (!count && first != "")
        print first (errors > 1 ? "\n(and " errors - 1 " more error" (errors > 2 ? "s" : "") ")" : "")
    if (!count && first == "")
        for (i = 1; i <= others; i++)
            print other[i]
}
