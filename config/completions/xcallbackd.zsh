#compdef xcallbackd
_arguments \
    '--config[read this configuration]:file:_files' \
    '--socket[listen on this socket]:path:_files' \
    '--agent-socket[listen on this socket for assistants]:path:_files' \
    '(--run)--check[report faults and warnings of the configuration, and exit]' \
    '(--check)--run[run one program for the system daemon]' \
    '(- :)--help[print the options, and exit]' \
    '(- :)--version[print the version, and exit]'
