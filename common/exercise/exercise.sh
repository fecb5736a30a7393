#!/usr/bin/env bash
# ./run exercise: sourced by ../../run, whose functions and variables it uses.
# shellcheck disable=SC2154 # root, asked, device and build are run's

exercise_usage="usage: ./run [--device cpu|gpu] exercise [NUMBER [OPTION]]

  ./run exercise                   the exercises, and how far you are
  ./run exercise 03                those of a chapter
  ./run exercise 03.1              puts it into exercises/, where it is yours, and checks it
  ./run exercise 03.1 --watch      checks it each time you save it; Ctrl-C ends
  ./run exercise 03.1 --hint       a hint; one more each time, of three
  ./run exercise 03.1 --solution   a solution, once you have tried
  ./run exercise 03.1 --reset      begins again, and keeps what you have as a copy

It is checked on the CPU device, which can tell all goals but shares of a GPU's bandwidth."

own=$root/exercises    # the reader's files, which git ignores
progress=$own/progress # a line an exercise: number, begun or solved, tries, hints seen

# --- what exercises there are ------------------------------------------------------------------------

numbers=()
declare -A folder title minutes # by number

load_exercises() {
    local number place name time goals=("$root"/chapters/[0-9][0-9]_*/exercises/*/goals.cpp)
    ((${#goals[@]})) || fail 2 "there are no exercises in $root/chapters."
    while IFS=$'\t' read -r number place name time; do
        numbers+=("$number")
        folder[$number]=$place title[$number]=$name minutes[$number]=$time
    done < <(awk '
        FNR == 1 { number = $2; sub(/:$/, "", number); title = $0; sub(/^[^:]*: /, "", title) }
        /^\/\/ minutes: / { name = FILENAME; sub(/\/[^\/]*$/, "", name); print number "\t" name "\t" title "\t" $3 }
        ' "${goals[@]}")
}

field() { # NUMBER NAME: prints what the head of the goals says under that name, each time in a line
    awk -v "wanted=// $2: " '
        function flush() { if (text != "") print text; text = "" }
        !/^\/\// { exit }
        /^\/\/ [a-z]+: / {
            flush()
            if (index($0, wanted) == 1) text = substr($0, length(wanted) + 1)
            next
        }
        text != "" { sub(/^\/\/ */, ""); text = text " " $0 }
        END { flush() }' "${folder[$1]}/goals.cpp"
}

find_exercise() { # 03.1, 3.1, four_sectors: prints its number, or ends with status 2
    local number name word distance nearest='' least=$((${#1} / 3 + 2))
    for number in "${numbers[@]}"; do
        name=${folder[$number]##*/}
        for word in "$number" "${number#0}" "$name" "${name#*_}"; do
            [[ $1 != "$word" ]] || { printf '%s' "$number" && return; }
            distance=$(edit_distance "$1" "$word")
            if ((distance < least)); then
                least=$distance nearest=$number
            fi
        done
    done
    fail 2 "there is no exercise '$1'.${nearest:+ Did you mean $nearest?} ./run exercise lists them."
}

# --- the reader's files ------------------------------------------------------------------------------

shown() { # PATH: as seen from where the reader is
    realpath -s --relative-to=. -- "$1"
}

free_name() { # PATH: with the first number behind it that no file has
    local count=1
    while [[ -e $1-$count ]]; do ((++count)); done
    printf '%s' "$1-$count"
}

cannot_write() {
    fail 2 "cannot write to $own: change its owner or permissions, or take a clone of your own; or is the disk full?"
}

declare -A state tries hints # by number; what is not there is not begun

read_progress() { # a file that is damaged is kept, and said
    local line copy count=0 damaged='' many=''
    state=() tries=() hints=()
    [[ -e $progress ]] || return 0
    while read -r line || [[ -n $line ]]; do
        ((++count))
        if [[ $line =~ ^([0-9]{2}\.[0-9]+)\ (begun|solved)\ ([0-9]{1,9})\ ([0-9]{1,9})$ ]]; then
            state[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
            tries[${BASH_REMATCH[1]}]=$((10#${BASH_REMATCH[3]}))
            hints[${BASH_REMATCH[1]}]=$((10#${BASH_REMATCH[4]}))
        else
            damaged+="${damaged:+, }$count"
        fi
    done < <(tr -d '\0' <"$progress")
    [[ -n $damaged ]] || return 0
    [[ $damaged != *,* ]] || many=s
    copy=$(free_name "$progress.damaged")
    { cp -- "$progress" "$copy" && write_progress; } || cannot_write
    note "$(shown "$progress") is damaged in line$many $damaged. It is kept as $(shown "$copy"); the other lines still count."
}

write_progress() {
    local number
    for number in "${!state[@]}"; do
        printf '%s %s %s %s\n' "$number" "${state[$number]}" "${tries[$number]-0}" "${hints[$number]-0}"
    done | sort >"$progress.new" && mv -- "$progress.new" "$progress"
}

follow_renumbering() { # the reader's file and progress go along with an exercise that has another number now
    local old number line lines=()
    local -A now=()
    while read -r old number; do
        [[ $old != '#'* && -e $own/$old.cu && -n ${folder[$number]-} && ! -e $own/${folder[$number]##*/}.cu ]] || continue
        mv -- "$own/$old.cu" "$own/${folder[$number]##*/}.cu" || cannot_write
        now[${old%%_*}]=$number
    done <"$root/common/exercise/renumbered.txt"
    ((${#now[@]})) && [[ -e $progress ]] || return 0
    while read -r line || [[ -n $line ]]; do
        old=${line%% *}
        lines+=("${now[$old]-$old}${line#"$old"}")
    done <"$progress"
    { printf '%s\n' "${lines[@]}" | sort >"$progress.new" && mv -- "$progress.new" "$progress"; } || cannot_write
}

note_progress() { # NUMBER STATE TRIES HINTS: once solved stays solved; the others are added
    exec 8<"$own"
    flock 8 # another terminal may watch an exercise
    read_progress
    [[ ${state[$1]-} == solved ]] || state[$1]=$2
    tries[$1]=$((${tries[$1]-0} + $3))
    hints[$1]=$((${hints[$1]-0} + $4))
    write_progress || cannot_write
    exec 8<&-
}

# --- what the reader is told ---------------------------------------------------------------------------

paragraphs() { # rewraps what it reads to the terminal's width, at most 100 columns
    local columns=100
    [[ ! -t 1 ]] || columns=$(stty size </dev/tty 2>/dev/null) || columns=100
    columns=${columns#* } # behind the rows
    fmt -w $((0 < columns && columns < 100 ? columns : 100))
}

task() { # NUMBER: the starter's first comment, and what the exercise takes
    printf '\n%s: %s\n\n' "$1" "${title[$1]}"
    awk 'NR <= 2 { next } !/^\/\// { exit } { sub(/^\/\/ ?/, ""); print }' "${folder[$1]}/starter.cu" | paragraphs
    printf '\nAbout %s minutes, difficulty %s of 3. It practises: %s.\n\n' \
        "${minutes[$1]}" "$(field "$1" difficulty)" "$(field "$1" practises)" | paragraphs
}

say_next() { # [NUMBER]: the next exercise after that which is not solved, or the first of all
    local number first='' after=''
    for number in "${numbers[@]}"; do
        [[ ${state[$number]-} != solved ]] || continue
        first=${first:-$number}
        [[ -n $after || ! $number > ${1-} ]] || after=$number
    done
    number=${after:-$first}
    if [[ -n $number ]]; then
        echo "Next: ./run exercise $number (${title[$number]}, ${minutes[$number]} min)"
    else
        echo 'All exercises are solved. Next: a kernel of your own, ./run mine.cu'
    fi
}

say_try() { # NUMBER
    echo "Next: change $(shown "$mine"), then"
    echo "  ./run exercise $1           checks it"
    echo "  ./run exercise $1 --watch   at each save"
    echo "  ./run exercise $1 --hint    helps"
}

list_exercises() { # CHAPTER, or '' for all
    local number solved=0 mark
    for number in "${numbers[@]}"; do
        case ${state[$number]-} in
        solved) mark=x && ((++solved)) ;;
        begun) mark=. ;;
        *) mark=' ' ;;
        esac
        [[ $number != "$1"* ]] || printf '[%s] %s  %-40s %3s min\n' "$mark" "$number" "${title[$number]}" "${minutes[$number]}"
    done
    printf '\n%s of %s are solved [x]; [.] is begun.\n' "$solved" "${#numbers[@]}"
    say_next
}

# --- the check -----------------------------------------------------------------------------------------

compile_answer() { # NUMBER PROGRAM: status 1 if that fails, after the reason
    local messages said
    messages=$(cd "$own" && "$build/compile_cuda" "${mine##*/}" "$build/exercises/$1.a" -o "$2" 2>&1) && {
        printf '%s' "${messages:+$messages$'\n'}" >&2 # warnings
        return
    }
    # What the linker says of a function that the goals call, or that the checker has itself.
    said=$(sed -nE "s/.*undefined reference to .(.*)'.*/The goals call \1; your file has to define it as the starter does./p
        s/.*multiple definition of .(.*)'.*/Your file defines \1, which is the checker's: give yours another name./p" \
        <<<"$messages" | sort -u)
    printf '%s\n\nIt does not compile; the lines above say why.\n' "${said:-$messages}" >&2
    return 1
}

check_exercise() { # NUMBER: status 0 if all goals hold, 1 if one is missed
    local status=0 tried=0 program=$build/exercises/${folder[$1]##*/}
    cmp -s "${folder[$1]}/starter.cu" "$mine" || tried=1
    if compile_answer "$1" "$program"; then
        "$program" || status=$?
    else
        status=1
    fi
    ((status <= 1)) || return $status # it said why
    echo
    if ((status)); then
        note_progress "$1" begun $tried 0
        say_try "$1"
    elif [[ $device == gpu ]]; then
        echo "All that a GPU can tell holds. For the other goals: ./run exercise $1"
    else
        note_progress "$1" solved $tried 0
        echo "Solved. To compare: ./run exercise $1 --solution"
        ! command -v nvidia-smi >/dev/null || echo "On your GPU: ./run --device gpu exercise $1"
        say_next "$1"
    fi
    return $status
}

watch_exercise() { # NUMBER: checks at each save, until it is solved
    local seen now
    while seen=$(stat -c '%.Y %s' -- "$mine" 2>/dev/null) || seen=gone; ! check_exercise "$1"; do
        printf '\nWatching %s; Ctrl-C ends.\n' "$(shown "$mine")"
        while now=$(stat -c '%.Y %s' -- "$mine" 2>/dev/null) || now=$seen; [[ $now == "$seen" ]]; do
            sleep 0.2 # an editor may take the file away for a moment
        done
        echo
    done
}

# --- the forms -----------------------------------------------------------------------------------------

show_hint() { # NUMBER
    local all seen=${hints[$1]-0}
    mapfile -t all < <(field "$1" hint)
    if ((seen < ${#all[@]})); then
        printf 'Hint %s of %s: %s\n' $((seen + 1)) "${#all[@]}" "${all[seen]}" | paragraphs
        note_progress "$1" begun 0 1
    else
        printf 'These are all hints.\n'
        printf '\n%s\n' "${all[@]}" | paragraphs
    fi
    echo
    say_try "$1"
}

show_solution() { # NUMBER
    ((${tries[$1]-0} > 0)) ||
        fail 2 "the solution is for after a try: change $(shown "$mine") and check it with ./run exercise $1. ./run exercise $1 --hint helps."
    cat -- "${folder[$1]}/solution.cu"
    echo
    say_next "$1"
}

reset_exercise() { # NUMBER
    local copy
    copy=$(free_name "$mine")
    { mv -- "$mine" "$copy" && cp -- "${folder[$1]}/starter.cu" "$mine"; } || cannot_write
    echo "$(shown "$mine") is as it was at first. What you had is $(shown "$copy")."
    say_try "$1"
}

exercise() { # [NUMBER [OPTION]]
    local word number='' option='' distance nearest='' least=4 begins=''
    load_exercises
    follow_renumbering
    for word; do
        case $word in
        -h | --help) answer "$exercise_usage" ;;
        --watch | --hint | --solution | --reset)
            [[ -z $option || $option == "$word" ]] || fail 2 "$option and $word do not go together."
            option=$word
            ;;
        -*)
            for option in --watch --hint --solution --reset --help; do
                distance=$(edit_distance "$word" "$option")
                ((distance >= least)) || { least=$distance && nearest=$option; }
            done
            fail 2 "exercise has no option '$word'.${nearest:+ Did you mean $nearest?} See ./run exercise --help."
            ;;
        *)
            [[ -z $number ]] || fail 2 "exercise takes one number, and not '$number' and '$word'."
            number=$word
            ;;
        esac
    done
    if [[ -z $option && $number =~ ^[0-9]{0,2}$ ]]; then
        [[ -z $number ]] || number=$(find_chapter "$number")
        read_progress
        answer "$(list_exercises "${number%%_*}")"
    fi
    [[ -n $number ]] || fail 2 "$option needs an exercise: ./run exercise ${numbers[0]} $option."
    number=$(find_exercise "$number")
    mine=$own/${folder[$number]##*/}.cu
    { mkdir -p "$own" 2>/dev/null && [[ -w $own ]]; } || cannot_write
    if [[ ! -e $mine ]]; then
        begins=yes
        cp -- "${folder[$number]}/starter.cu" "$mine" || cannot_write
        note_progress "$number" begun 0 0
    fi
    read_progress
    case $option in
    --hint) show_hint "$number" && exit ;;
    --solution) show_solution "$number" && exit ;;
    --reset) reset_exercise "$number" && exit ;;
    esac
    if [[ -n $begins ]]; then
        task "$number"
        printf 'Your file is %s. As it is, the check says:\n\n' "$(shown "$mine")" | paragraphs
    fi
    if [[ $asked == best ]]; then
        asked=cpu && choose_device 2>/dev/null # there is no choice to report
    else
        choose_device
    fi
    set_up build "$device"
    build "the check of $number" compile_cuda "goals_$number"
    if [[ $option == --watch ]]; then
        watch_exercise "$number"
    else
        check_exercise "$number"
    fi
}
