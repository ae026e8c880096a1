__xcallback_offer() {
    local candidate
    compopt +o filenames -o nosort
    while IFS='' read -r candidate; do
        if [[ -n ${candidate} ]]; then
            COMPREPLY+=("${candidate}")
            [[ ${candidate} == *[=:/] ]] && compopt -o nospace
        fi
    done <<<"${1}"
}

# Bash parts words at some signs, and replaces only the last part; this completes whole ones.
__xcallback_whole_words() {
    local -a words=()
    local rest=${COMP_LINE:0:COMP_POINT} word
    local -i index number=-1
    for ((index = 0; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if [[ ${number} -lt 0 || ${rest} == [[:space:]]* || -z ${rest} ]]; then
            number=$((number + 1))
            words[number]=
        fi
        rest=${rest#"${rest%%[![:space:]]*}"}
        [[ ${index} -eq ${COMP_CWORD} ]] && word=${rest}
        words[number]+=${word}
        rest=${rest#"${word}"}
    done
    local -r whole=${words[number]} previous=${words[number > 0 ? number - 1 : 0]}
    local -r kept=${whole%"${2}"}
    local -a COMP_WORDS=("${words[@]}")
    local -i COMP_CWORD=${number}
    _xcallback "${1}" "${whole}" "${previous}"
    for index in "${!COMPREPLY[@]}"; do COMPREPLY[index]=${COMPREPLY[index]#"${kept}"}; done
}
