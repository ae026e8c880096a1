# Changes the links of the documents for the folder in which 'make install' puts them: sed -z -E -f installed.sed FILE
# There, the examples and the pages of the library are in other folders, and a package needs a copy of the sources; a file that is
# only in the sources is named without a link.
s#\]\(\.\./((\.\./)*)Sources/XCallback/XCallback\.docc/#](\1Library/#g
s#<doc:([A-Za-z]+)>#[\1](\1.md)#g
s#path: "\.\./\.\./\.\."#path: "../xcallbackd"#g
s#\]\(\.\./\.\./config/(examples/[^)]*|xcallbackd\.schema\.json)\)#](../../../../xcallbackd/\1)#g
s#\]\(((\.\./)*)config/(config|system)\.yaml\)#](\1examples/\3.yaml)#g
s#\[([^]]*)\]\((\.\./)+releases\)#\1#g
s#\[([^]]*)\]\((\.\./)?man/[^)]*\)#\1#g
s#\[([^]]*)\]\((\.\./)*((Docs/Internals|Internals|Sources|Tests|systemd|Makefile|CONTRIBUTING|SECURITY|LICENSE)[^)]*)\)#\1 (`\3`)#g
s#([A-Za-z./]+) \(`\1`\)#`\1`#g
