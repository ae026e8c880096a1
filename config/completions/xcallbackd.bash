# Completes xcallbackd in bash.
_xcallbackd() {
    case $3 in
    --config | --socket | --agent-socket)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$2")
        ;;
    *) mapfile -t COMPREPLY < <(compgen -W '--config --socket --agent-socket --check --run --help --version' -- "$2") ;;
    esac
}
complete -F _xcallbackd xcallbackd
