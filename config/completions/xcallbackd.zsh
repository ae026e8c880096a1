#compdef xcallbackd
_arguments \
    '--config[read this configuration]:file:_files' \
    '--socket[listen on this socket]:path:_files' \
    '--agent-socket[listen on this socket for assistants]:path:_files' \
    '(--run --desktop --tell-peers)--check[tell what is wrong with the configuration, and end]' \
    '(--check --desktop --tell-peers)--run[run one program for the router of the system]' \
    '(--check --run --tell-peers)--desktop[take URLs from the message bus of the session]' \
    '(--check --run --desktop)--tell-peers[look into processes for the router of the user]' \
    '(- :)--help[print the options, and end]' \
    '(- :)--version[print the version, and end]'
