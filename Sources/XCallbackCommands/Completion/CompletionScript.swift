import ArgumentParser
import XCallbackWire

/// The completion script for a shell: the one of ArgumentParser, with added support for words with colons and equals signs,
/// and for words that continue.
enum CompletionScript {
    /// Returns the script for a shell; nil for an unsupported one.
    static func text(for shell: CompletionShell) -> String {
        let script = RootCommand.completionScript(for: shell)
        switch shell {
        case .bash: return bash(script)
        case .zsh: return zsh(script)
        default: return script
        }
    }

    /// Bash splits words at ':', '=' and the other characters of `COMP_WORDBREAKS`.
    ///
    /// The script joins them before the completion. Bash replaces only the last part, its second argument, so the text before
    /// that is removed from the candidates. They are inserted verbatim: `compgen -W` would run command substitutions in them.
    private static func bash(_ script: String) -> String {
        let offer = """
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

            """
        return
            script
            .replacing(
                each: "__xcallback_add_completions -W \"$(__xcallback_custom_complete",
                with: "__xcallback_offer \"$(__xcallback_custom_complete"
            )
            .replacing(each: "\n_xcallback() {\n", with: "\n\(offer)\n_xcallback() {\n")
            .replacing(
                each: "complete -o filenames -F _xcallback xcallback",
                with: "complete -o filenames -F __xcallback_whole_words xcallback")
    }

    /// Adds no blank after a word that continues.
    private static func zsh(_ script: String) -> String {
        script.replacing(
            each: "    if [[ \"${#completions[@]}\" -gt 1 ]]; then\n"
                + "        __xcallback_complete \"${completions[@]:0:-1}\"\n",
            with: """
                    if [[ "${#completions[@]}" -gt 1 ]]; then
                        completions=("${completions[@]:0:-1}")
                        # No blank follows a word that goes on.
                        local -a open=("${(M)completions[@]:#*(=|\\:|/)(|:*)}")
                        local -a whole=("${completions[@]:#*(=|\\:|/)(|:*)}")
                        _describe -V '' whole -- open -S ''

                """)
    }
}
