import Testing

/// Which programs a request may give arguments to, and where these would be code.
struct InterpreterRuleTests {
    private static func faults(_ arguments: String) -> [String] {
        Configured.faults(
            of: "schemes: [notes]\nroutes:\n- route: /a/:x\n  exec: [\(arguments)]\n")
    }

    static let code: [(arguments: String, name: String)] = [
        ("sh, -c, '{x}'", "sh"), ("/bin/sh, -c, 'echo {x}'", "sh"), ("bash, -ec, '{x}'", "bash"),
        ("bash, -c, 'echo $1', bash, '{x}'", "bash"), ("dash, -e, -c, '{x}'", "dash"),
        ("bash, -o, pipefail, -c, '{x}'", "bash"), ("bash, --rcfile, '{x}'", "bash"), ("zsh, '-c{x}'", "zsh"),
        ("bash, '--init-file={x}'", "bash"), ("ksh, '{x}'", "ksh"), ("fish, --command, '{x}'", "fish"),
        ("fish, '--command=echo', '{x}'", "fish"), ("python3, -c, '{x}'", "python"),
        ("/usr/bin/python3.11, -Ic, '{x}'", "python"), ("python, '{x}'", "python"), ("python3, -m, '{x}'", "python"),
        ("perl, -e, '{x}'", "perl"), ("perl, -ne, 'print', '{x}'", "perl"), ("perl, -E, '{x}'", "perl"),
        ("ruby, -e, '{x}'", "ruby"), ("node, --eval, '{x}'", "node"), ("node, -p, '{x}'", "node"),
        ("nodejs, '--eval={x}'", "nodejs"), ("lua5.4, -e, '{x}'", "lua"), ("php8.2, -r, '{x}'", "php"),
        ("awk, '{x}', file", "awk"), ("gawk, -e, '{x}'", "gawk"), ("awk, -v, 'a={x}', 'print a'", "awk"),
        ("sed, -e, '{x}', file", "sed"), ("sed, 's/a/{x}/'", "sed"), ("awk, -f, '{x}'", "awk"),
        ("su, -c, '{x}'", "su"), ("env, sh, -c, '{x}'", "sh"), ("env, A=b, sh, -c, '{x}'", "sh"),
        ("env, '{x}'", "env"), ("/usr/bin/env, -u, A, python3, -c, '{x}'", "python"),
        ("sudo, -u, bob, sh, -c, '{x}'", "sh"), ("sudo, -u, bob, '{x}'", "sudo"), ("nice, -n, '5', '{x}'", "nice"),
        ("nice, sh, -c, '{x}'", "sh"), ("timeout, '5', sh, -c, '{x}'", "sh"),
        ("timeout, -k, '1', '5', perl, -e, '{x}'", "perl"), ("xargs, sh, -c, '{x}'", "sh"), ("xargs, '{x}'", "xargs"),
        ("find, /tmp, -exec, sh, -c, '{x}', ;", "sh"), ("env, nice, timeout, '5', sh, -c, '{x}'", "sh"),
        ("sudo, --, sh, -c, '{x}'", "sh"),
        ("busybox, sh, -c, '{x}'", "sh"), ("ssh, host, echo, '{x}'", "ssh"), ("watch, echo, '{x}'", "watch"),
        ("flock, /tmp/lock, sh, -c, '{x}'", "sh"), ("systemd-run, --user, sh, -c, '{x}'", "sh"),
        ("bash, +x, -c, '{x}'", "bash"), ("zsh, +o, nomatch, '{x}'", "zsh"), ("su, -, bob, -c, '{x}'", "su"),
        ("su, bob, '-c{x}'", "su"), ("su, bob, --, -c, '{x}'", "su"), ("runuser, -u, bob, --, sh, -c, '{x}'", "sh"),
        ("sqlite3, /srv/a.db, '{x}'", "sqlite"),
    ]

    @Test(arguments: code)
    func aPlaceholderThatIsCodeIsAFault(arguments: String, name: String) {
        let faults = Self.faults(arguments)
        #expect(faults.count == 1)
        #expect(faults.first?.contains(": what '\(name)' runs cannot come from a request: ") == true, "\(faults)")
    }

    static let input: [(arguments: String, name: String)] = [
        ("sh", "sh"), ("bash, -v", "bash"), ("sh, -h", "sh"), ("bash, -o, pipefail", "bash"), ("bash, -x", "bash"),
        ("bash, -s, a", "bash"), ("sh, -es, --, a", "sh"), ("python3", "python"),
        ("python3, -", "python"), ("python3, -u, --, -", "python"), ("python3, -u, -", "python"),
        ("perl, /dev/stdin, '{x}'", "perl"),
        ("awk, -f, -, '{x}'", "awk"),
    ]

    @Test(arguments: input)
    func anInterpreterThatWouldRunTheRequestIsAFault(arguments: String, name: String) {
        let faults = Self.faults(arguments)
        #expect(faults.count == 1)
        #expect(faults.first?.contains(": '\(name)' would run what it reads, and ") == true, "\(faults)")
    }

    static let harmless = [
        "bash, -x, --, /opt/notes.sh, '{x}'", "bash, -x, /opt/notes.sh", "sh, -c, cat", "bash, --version",
        "python3, -mjson.tool", "python3, -m, json",
        "node, -v", "env", "awk, -fnotes.awk, '{x}'", "su, bob, -c, id", "runuser, -u, bob, --, notes, -c, '{x}'",
        "sed, --file=/opt/a.sed, '{x}'", "sed, p, '{x}'",
        "notes, -c, '{x}'", "notes, -e, '{x}'", "sh, /opt/notes.sh, '{x}'", "sh, /opt/notes.sh, -c, '{x}'",
        "bash, -e, --, /opt/notes.sh, '{x}'", "bash, -o, pipefail, /opt/notes.sh, '{x}'",
        "python3, /opt/notes.py, -c, '{x}'", "python3, -m, notes, '{x}'", "perl, -Mfeature=say, /opt/notes.pl, '{x}'",
        "awk, -f, /opt/notes.awk, '{x}'", "awk, 'print', '{x}'", "sed, -n, 's/a/b/p', s, '{x}'",
        "env, 'A={x}', notes, '{x}'", "env, A=b, notes, -c, '{x}'", "timeout, '5', notes, '{x}'",
        "sudo, -u, bob, notes, '{x}'", "sudo, -E, --, notes, '{x}'", "nice, -n, '5', notes, '{x}'",
        "find, /srv, -name, '{x}'", "notify-send, --, '{x}'", "git, commit, -m, '{x}'", "xdg-open, 'https://a/{x}'",
    ]

    @Test(arguments: harmless)
    func anArgumentOfAProgramIsNoFault(arguments: String) {
        #expect(Self.faults(arguments) == [])
    }
}
