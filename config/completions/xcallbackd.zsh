#compdef xcallbackd
_arguments \
    '--config[read this configuration]:file:_files' \
    '--socket[listen on this socket]:path:_files' \
    '--agent-socket[listen on this socket for assistants]:path:_files' \
    '(--run --desktop --tell-peers)--check[report faults and warnings of the configuration, and exit]' \
    '(--check --desktop --tell-peers)--run[run one program for the system daemon]' \
    '(--check --run --tell-peers)--desktop[receive URLs from the session bus]' \
    '(--check --run --desktop)--tell-peers[inspect peer processes for the user daemon]' \
    '(- :)--help[print the options, and exit]' \
    '(- :)--version[print the version, and exit]'
