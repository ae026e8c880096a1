import Testing

/// Which programs a request may give arguments to, and where these would be code.
struct ProgramCodeTests {
    private static func faults(_ arguments: String) -> [String] {
        Configured.faults(
            of: "schemes: [notes]\nroutes:\n- route: /a/:x\n  exec: [\(arguments)]\n")
    }

    static let code: [(arguments: String, name: String)] = [
        ("sh, -c, '{x}'", "sh"), ("/bin/sh, -c, 'echo {x}'", "sh"), ("bash, -ec, '{x}'", "bash"),
        ("dash, -e, -c, '{x}'", "dash"),
        ("bash, -o, pipefail, -c, '{x}'", "bash"), ("bash, --rcfile, '{x}'", "bash"), ("zsh, '-c{x}'", "zsh"),
        ("bash, '--init-file={x}'", "bash"), ("ksh, '{x}'", "ksh"), ("fish, --command, '{x}'", "fish"),
        ("python3, -c, '{x}'", "python"),
        ("/usr/bin/python3.11, -Ic, '{x}'", "python"), ("python, '{x}'", "python"), ("python3, -m, '{x}'", "python"),
        ("perl, -e, '{x}'", "perl"), ("perl, -ne, '{x}', file", "perl"), ("perl, -E, '{x}'", "perl"),
        ("ruby, -e, '{x}'", "ruby"), ("node, --eval, '{x}'", "node"), ("node, -p, '{x}'", "node"),
        ("nodejs, '--eval={x}'", "nodejs"), ("lua5.4, -e, '{x}'", "lua"), ("php8.2, -r, '{x}'", "php"),
        ("awk, '{x}', file", "awk"), ("gawk, -e, '{x}'", "gawk"),
        ("sed, -e, '{x}', file", "sed"), ("sed, 's/a/{x}/'", "sed"), ("awk, -f, '{x}'", "awk"),
        ("sed, -i, -e, p, -e, '{x}'", "sed"), ("perl, '-M{x}', a.pl", "perl"), ("node, -r, '{x}'", "node"),
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
        ("sqlite3, /srv/a.db, '{x}'", "sqlite"), ("env, -S, 'notes {x}'", "env"), ("timeout, '5', '{x}'", "timeout"),
        ("timeout, -k, '1', '5', '{x}'", "timeout"), ("nice, '{x}'", "nice"), ("nohup, '{x}'", "nohup"),
        ("setsid, -f, '{x}'", "setsid"), ("stdbuf, -o, L, '{x}'", "stdbuf"), ("flock, /tmp/lock, '{x}'", "flock"),
        ("flock, /tmp/lock, -c, '{x}'", "flock"), ("find, /srv, -exec, '{x}', ;", "find"),
        ("find, /srv, -exec, echo, a, ;, -execdir, '{x}', ;", "find"), ("systemd-run, --user, '{x}'", "systemd-run"),
        ("flatpak-spawn, --host, '{x}'", "flatpak-spawn"), ("parallel, 'echo {x}'", "parallel"),
        ("emacsclient, --eval, '{x}'", "emacsclient"), ("emacsclient, -e, '(a)', '{x}'", "emacsclient"),
        ("emacs, --batch, --eval, '{x}'", "emacs"), ("vim, -c, '{x}', file", "vim"), ("vim, '+{x}'", "vim"),
        ("nvim, '{x}'", "nvim"), ("less, '{x}'", "less"), ("tmux, new-window, '{x}'", "tmux"),
        ("tmux, display-message, '{x}'", "tmux"), ("screen, -X, stuff, '{x}'", "screen"),
        ("ssh, -o, '{x}', host", "ssh"),
        ("xterm, -e, '{x}'", "xterm"), ("xterm, -e, sh, -c, '{x}'", "sh"), ("konsole, -e, '{x}'", "konsole"),
        ("gnome-terminal, --, '{x}'", "gnome-terminal"), ("gnome-terminal, '--command={x}'", "gnome-terminal"),
        ("foot, '{x}'", "foot"), ("xfce4-terminal, -e, 'vim {x}'", "xfce4-terminal"),
        ("swaymsg, exec, '{x}'", "swaymsg"),
        ("i3-msg, 'exec {x}'", "i3-msg"), ("hyprctl, dispatch, exec, '{x}'", "hyprctl"),
        ("gdb, -ex, '{x}', notes", "gdb"), ("git, '{x}'", "git"), ("git, -c, '{x}', status", "git"),
        ("rsync, -e, '{x}', a, b", "rsync"), ("rsync, -avze, '{x}', a, b", "rsync"), ("tar, -xf, a, -I, '{x}'", "tar"),
        ("tar, '--to-command={x}', -xf, a", "tar"), ("nc, -e, '{x}', host, '1'", "nc"), ("socat, '{x}', -", "socat"),
        ("make, '{x}'", "make"), ("man, -P, '{x}', ls", "man"), ("rofi, -terminal, '{x}'", "rofi"),
        ("psql, -c, '{x}'", "psql"), ("firejail, sh, -c, '{x}'", "sh"), ("unheard-of, sh, -c, '{x}'", "sh"),
        ("podman, exec, box, sh, -c, '{x}'", "sh"), ("distrobox, enter, box, --, python3, -c, '{x}'", "python"),
        ("wezterm, start, --, '{x}'", "wezterm start"), ("script, -c, '{x}'", "script"),
        ("tar, '-{x}', a", "tar"), ("env, '--{x}', ls", "env"), ("vim, '-{x}'", "vim"),
        ("notes, node, -e, '{x}'", "node"),
        ("runuser, bob, -c, '{x}'", "runuser"), ("perl, -ne, 'print', '{x}'", "perl"),
        ("perl, -i, -pe, 's/a/b/', --, '{x}'", "perl"), ("perl, -e, 'print while <>', '{x}'", "perl"),
        ("qutebrowser, --, '{x}'", "qutebrowser"), ("ssh, -I, '{x}', host", "ssh"), ("run0, '{x}'", "run0"),
        ("git, clone, -u, '{x}', a", "git clone"), ("docker, compose, run, tool, sh, -c, '{x}'", "sh"),
    ]

    @Test(arguments: [
        "env, 'LD_PRELOAD={x}', ls", "sudo, 'BASH_ENV={x}', ls", "systemd-run, '--setenv=PYTHONSTARTUP={x}', ls",
    ])
    func aVariableThatLoadsCodeIsAFault(arguments: String) {
        let faults = Self.faults(arguments)
        #expect(faults.count == 1)
        #expect(faults.first?.contains(" makes programs run or load cannot come from a request") == true, "\(faults)")
    }

    @Test(arguments: ["sh, -c, '{x}'", "env, 'LD_PRELOAD={x}', ls", "sh", "tmux, new-window, '{x}'"])
    func aRouteMayAllowCode(arguments: String) {
        let route = "schemes: [notes]\nroutes:\n- route: /a/:x\n  exec: [\(arguments)]\n"
        #expect(Configured.faults(of: route).count == 1)
        #expect(Configured.faults(of: route + "  allow-code: true\n") == [])
        #expect(Configured.faults(of: route + "  env: { LD_PRELOAD: '{x}' }\n  allow-code: true\n") == [])
    }

    @Test(arguments: code)
    func aPlaceholderThatIsCodeIsAFault(arguments: String, name: String) {
        let faults = Self.faults(arguments)
        #expect(faults.count == 1)
        #expect(faults.first?.contains(": what '\(name)' runs cannot come from a request: ") == true, "\(faults)")
    }

    static let input: [(arguments: String, name: String)] = [
        ("sh", "sh"), ("bash, -v", "bash"), ("sh, -h", "sh"), ("bash, -o, pipefail", "bash"), ("bash, -x", "bash"),
        ("python3", "python"), ("at, now", "at"),
        ("python3, -", "python"), ("python3, -u, --, -", "python"), ("python3, -u, -", "python"),
        ("perl, /dev/stdin, '{x}'", "perl"),
        ("awk, -f, -, '{x}'", "awk"), ("env, LANG=C, bash", "bash"), ("sudo, -u, bob, sh", "sh"),
        ("timeout, '5', bash", "bash"),
    ]

    @Test(arguments: input)
    func anInterpreterThatWouldRunTheRequestIsAFault(arguments: String, name: String) {
        let faults = Self.faults(arguments)
        #expect(faults.count == 1)
        #expect(faults.first?.contains(": '\(name)' would run what it reads, and ") == true, "\(faults)")
    }

    static let harmless = [
        "bash, -x, --, /opt/notes.sh, '{x}'", "bash, -x, /opt/notes.sh", "sh, -c, cat",
        "bash, -c, 'echo $1', bash, '{x}'",
        "python3, -mjson.tool", "python3, -m, json",
        "env", "awk, -fnotes.awk, '{x}'", "su, bob, -c, id", "runuser, -u, bob, --, notes, -c, '{x}'",
        "sed, --file=/opt/a.sed, '{x}'", "sed, p, '{x}'",
        "notes, -c, '{x}'", "notes, -e, '{x}'", "notes, node, '--tag={x}'", "notes, sh, --title, '{x}'",
        "notes, php, '{x}'", "sh, /opt/notes.sh, '{x}'", "sh, /opt/notes.sh, -c, '{x}'",
        "bash, -e, --, /opt/notes.sh, '{x}'", "bash, -o, pipefail, /opt/notes.sh, '{x}'",
        "python3, /opt/notes.py, -c, '{x}'", "python3, -m, notes, '{x}'", "perl, -Mfeature=say, /opt/notes.pl, '{x}'",
        "awk, -f, /opt/notes.awk, '{x}'", "awk, 'print', '{x}'", "sed, -n, 's/a/b/p', s, '{x}'",
        "systemd-run, --user, '--unit=a-{x}', '--on-active={x}m', echo, '{x}'", "env, 'A={x}', notes, '{x}'",
        "env, A=b, notes, -c, '{x}'", "timeout, '5', notes, '{x}'",
        "sudo, -u, bob, notes, '{x}'", "sudo, -E, --, notes, '{x}'", "nice, -n, '5', notes, '{x}'",
        "find, /srv, -name, '{x}'", "notify-send, --, '{x}'", "git, commit, -m, '{x}'", "xdg-open, 'https://a/{x}'",
        "fish, '--command=echo', '{x}'", "perl, -Mopen, -e, 'print', '{x}'", "awk, -v, 'a={x}', '{{ print a }}'",
        "sed, -i, 's/a/b/', '{x}'", "rofi, -e, '{x}'", "grep, -e, '{x}', file", "vim, --, '{x}'", "vim, 'notes/{x}'",
        "emacsclient, -n, '{x}'", "ssh, '{x}'", "ssh, -p, '{x}', host", "ssh, host, uptime",
        "xterm, -e, ssh, --, '{x}'",
        "gnome-terminal, --, ssh, 'me@{x}'", "timeout, -k, '1', '5', notes, '{x}'",
        "git, switch, -c, '{x}'", "git, -C, '/srv/{x}', pull", "rsync, -a, 'a/{x}', b", "tar, -xf, '{x}'",
        "mpv, '{x}'", "firefox, --, '{x}'", "zenity, --info, '--text={x}'", "find, /srv, -name, '{x}', -print",
        "find, /srv, -exec, notes, '{x}', ;", "systemctl, --user, start, 'notes@{x}.service'", "xdotool, type, '{x}'",
        "flatpak, run, org.example.App, '{x}'", "setsid, -f, notes, '{x}'", "man, '{x}'", "gdbus, call, '{x}'",
        "less, --, '{x}'", "sudo, -u, bob, -n, --, notes, '{x}'", "notify-send, -e, '{x}'", "konsole, -e, notes, '{x}'",
    ]

    @Test(arguments: harmless)
    func anArgumentOfAProgramIsNoFault(arguments: String) {
        #expect(Self.faults(arguments) == [])
    }

    static let advice: [(arguments: String, advice: String)] = [
        (
            "sh, -c, 'echo {x}'",
            #"give it to a script as an argument, [sh, -c, 'CODE "$1"', sh, VALUE] ('{{' is a brace)"#
        ),
        ("python3, '{x}'", #"let the code read "$XCALLBACK_PARAM_X""#),
        ("vim, '{x}'", "write '--' before it"), ("timeout, --signal, KILL, '{x}'", "write '--' before it"),
        ("sudo, --prompt, '{x}', notes", "or '--prompt=VALUE'"), ("env, '{x}'", "write the name of the program"),
        ("emacsclient, -n, -e, '{x}'", "leave '-e' out"),
        (
            "tmux, new-window, '{x}'",
            "declare 'x' as int, number, bool, uuid, date or enum, or write 'allow-code: true'"
        ),
        ("swaymsg, '{@url}'", "request: write 'allow-code: true'"),
    ]

    @Test(arguments: advice)
    func theFaultNamesAWayThatWorks(arguments: String, advice: String) {
        let faults = Self.faults(arguments)
        #expect(faults.count == 1)
        #expect(faults.first?.contains(advice) == true, "\(faults)")
    }

    static let ways = [
        "sh, -c, 'echo \"$1\"', sh, '{x}'", "vim, --, '{x}'", "timeout, --signal=KILL, '5', notes, '{x}'",
        "timeout, --signal, KILL, --, '5', notes, '{x}'", "sudo, '--prompt={x}', notes", "emacsclient, -n, --, '{x}'",
        "sh, -c, 'exec emacsclient -n -- \"$1\"', sh, '{@url}'", "tar, --file=a, '--exclude={x}'",
        "stdbuf, -oL, --, notes, '{x}'",
    ]

    @Test(arguments: ways)
    func theWayWorks(arguments: String) {
        #expect(Self.faults(arguments) == [])
    }

    static let types = ["int", "number", "bool", "uuid", "date", "{ type: enum, values: [sh, -c] }"]

    @Test(arguments: types)
    func aValueWithATypeIsNoCode(type: String) {
        let start = "schemes: [notes]\nroutes:\n- route: /a/:x\n  input: { x: \(type) }\n  "
        #expect(Configured.faults(of: start + "exec: [sh, -c, 'echo {x}']\n") == [])
        #expect(Configured.faults(of: start + "exec: [env, 'GIT_TRACE={x}', '{x}', '-{x}']\n") == [])
        // Middleware comes before the types.
        #expect(Configured.faults(of: start + "middleware: [{ exec: [env, '{x}'] }]\n  respond:\n").count == 1)
    }

    @Test(arguments: ["string", "url", "data", "json", "{ type: list, of: int }"])
    func aValueOfAnotherTypeCanBeCode(type: String) {
        let input = "input: { x: \(type) }\n  exec: [env, '{x}']\n"
        #expect(Configured.faults(of: "schemes: [notes]\nroutes:\n- route: /a/:x\n  \(input)").count == 1)
    }
}
