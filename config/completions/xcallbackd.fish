# Completes xcallbackd in fish.
complete -c xcallbackd -f
complete -c xcallbackd -l config -r -F -d 'Read this configuration'
complete -c xcallbackd -l socket -r -F -d 'Listen on this socket'
complete -c xcallbackd -l agent-socket -r -F -d 'Listen on this socket for assistants'
complete -c xcallbackd -l check -d 'Tell what is wrong with the configuration, and end'
complete -c xcallbackd -l run -d 'Run one program for the router of the system'
complete -c xcallbackd -l desktop -d 'Take URLs from the message bus of the session'
complete -c xcallbackd -l tell-peers -d 'Look into processes for the router of the user'
complete -c xcallbackd -l help -d 'Print the options, and end'
complete -c xcallbackd -l version -d 'Print the version, and end'
