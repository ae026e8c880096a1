# Completes xcallbackd in fish.
complete -c xcallbackd -f
complete -c xcallbackd -l config -r -F -d 'Read this configuration'
complete -c xcallbackd -l socket -r -F -d 'Listen on this socket'
complete -c xcallbackd -l agent-socket -r -F -d 'Listen on this socket for assistants'
complete -c xcallbackd -l check -d 'Report faults and warnings of the configuration, and exit'
complete -c xcallbackd -l run -d 'Run one program for the system daemon'
complete -c xcallbackd -l help -d 'Print the options, and exit'
complete -c xcallbackd -l version -d 'Print the version, and exit'
