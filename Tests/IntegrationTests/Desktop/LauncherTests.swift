import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The desktop entries by which launchers find actions.
@Suite(.blocking)
struct LauncherTests {
    private static let folder = ".local/share/applications"
    private static let key = "X-XCallback-Route="

    /// Creates a home whose routes and entries are links to other folders, with a daemon that reports the actions it runs.
    private func site(_ routes: [String]) throws -> SetupSite {
        let site = try SetupSite()
        try site.home.write("policies: [{ user: self }]\n", to: ".config/xcallbackd/config.yaml")
        try site.home.write("", to: ".config/xcallbackd/routes.d/.keep")
        try site.home.write("", to: ".local/share/.keep")
        try site.home.write("", to: "dotfiles/applications/.keep")
        symlink("../../../dotfiles/a.yaml", site.home.path(of: ".config/xcallbackd/routes.d/a.yaml"))
        symlink("../../dotfiles/applications", site.home.path(of: Self.folder))
        try site.site.install(program: "mark", script: #"report "$@""#)
        try site.install("notify-send", in: "bin", "#!/bin/sh\n")
        try write(routes, to: site)
        try site.startDaemon()
        return site
    }

    private func write(_ routes: [String], to site: SetupSite) throws {
        let text =
            "schemes: { a: { title: \"A; b\", icon: folder } }\nroutes:\n  - \(routes.joined(separator: "\n  - "))\n"
        try site.home.write(text, to: "dotfiles/a.yaml")
        try site.giveAway()
    }

    /// The names of the entries, by the names of their routes.
    private func entries(_ site: SetupSite) throws -> [String: (path: String, name: String)] {
        let list = try site.run("sh", "-c", "cd \"$HOME/\(Self.folder)\"; grep -H '^Name=\\|^\(Self.key)' xcallback-*")
        var entries: [String: (String, String)] = [:]
        var name = ""
        for line in list.output.split(separator: "\n") where line.hasPrefix("xcallback-") {
            let (file, value) = (line.prefix { $0 != ":" }, line.drop { $0 != ":" }.dropFirst())
            if value.hasPrefix("Name=") { name = String(value.dropFirst(5)) }
            guard value.hasPrefix(Self.key) else { continue }
            entries[String(value.dropFirst(Self.key.count))] = ("\(Self.folder)/\(file)", name)
        }
        return entries
    }

    static let titles: [(route: String, title: String, name: String)] = [
        ("a:/plain", "Plain", "Plain"), ("a:/same", "Plain", "Plain (a:/same)"),
        ("a:/other", "OTHER app", "OTHER app (xcallback)"),
        (#"a:/a%b%f/$HOME/`id`/'é' "q"/\\\\"#, #"\"it's\" \\n `x` $HOME %f; <b>"#, #""it's" \\n `x` $HOME %f; <b>"#),
    ]

    /// The desktop's own parser finds each title, and starts the action.
    @Test func eachTitleIsFoundAndStartsItsAction() throws {
        let routes = Self.titles.enumerated().map { index, row in
            #"{ route: "\#(row.route.replacing("\"", with: "\\\""))", title: "\#(row.title)", menu: true, exec: [mark, "\#(index)"] }"#
        }
        let hidden = ["{ route: a:/hidden, title: Hidden, menu: false, respond: }"]
        let site = try site(routes + hidden)
        let other = "[Desktop Entry]\nType=Application\nName=Other\nName[de]=Other app\nExec=true\n"
        try site.home.write(other, to: "dotfiles/applications/other.desktop")
        let result = try site.run("xcallback", "reload")
        #expect(
            result.output.hasSuffix("entries of actions: 4 written, 0 removed; GNOME needs up to 11 s\n"), "\(result)")
        let entries = try entries(site)
        #expect(entries.count == Self.titles.count)
        for (index, row) in Self.titles.enumerated() {
            let route = row.route.replacing(#"\\\\"#, with: #"\\"#)
            let entry = try #require(entries.first { $0.value.name == row.name }, "\(row.name) in \(entries)")
            #expect(entry.key == route.replacing(#"\"#, with: #"\\"#))
            let checked = try site.run("desktop-file-validate", site.home.path(of: entry.value.path))
            #expect(checked.output == "")
            try site.run("gio", "launch", site.home.path(of: entry.value.path))
            expect(try site.site.nextReport(), equals: "\(index)")
        }
        let text = try site.home.text(of: #require(entries["a:/plain"]).path)
        for line in ["GenericName=A; b", "Comment=a:/plain", "Keywords=A  b;a;plain;", "Icon=folder"] {
            #expect(text.contains("\n\(line)\n"), "\(line) in \(text)")
        }
        expect(try site.run("xcallback", "unregister", "a").output, equals: "a: was not registered\n")
        expect(try site.run("xcallback", "unregister").output) {
            $0.contains("entries of actions: 0 written, 4 removed;")
        }
        expect(try self.entries(site).count, equals: 0)
    }

    @Test func onlyOwnEntriesChangeWithTheServedTable() throws {
        let many = (1...300).map { "{ route: \"a:/\($0)\", title: Same, menu: true, respond: }" }
        let site = try site(many)
        func reload(_ arguments: String...) throws -> DesktopSite.Result {
            try site.run(["xcallback", "reload", "--quiet"] + arguments)
        }
        expect(try reload().output, equals: "")
        expect(try Set(entries(site).values.map(\.name)).count, equals: 300)
        // The files of the daemon are in the folders of another environment.
        let elsewhere = ["XDG_CONFIG_HOME=\(site.home.path)/elsewhere"]
        expect(try site.run(["xcallback", "reload", "--quiet"], environment: elsewhere).status, equals: 0)
        expect(try entries(site).count, equals: 300)
        // Another daemon has other routes.
        let others = "schemes: [b]\nroutes: [{ route: b:/b, title: B, menu: true, respond: }]\n"
        let file = try site.home.write(others, to: "other.yaml")
        try site.giveAway()
        let socket = site.home.path(of: "run/other")
        let daemon = try site.site.start(
            site.asUser + [RunningDaemon.program("xcallbackd"), "--socket", socket, "--config", file], to: "run/log2")
        defer { daemon.send(signal: SIGTERM) }
        try waitUntil("the other daemon answers") {
            try site.run("xcallback", "status", "--socket", socket).status == 0
        }
        expect(try reload("--socket", socket).status, equals: 0)
        expect(try entries(site).count, equals: 300)
        expect(try site.run("xcallback", "doctor").output) { !$0.contains("entries of actions: ") }
        // A folder can be read-only, and a file without the key belongs to the user.
        try write(Array(many.prefix(2)), to: site)
        let (first, second) = try (#require(entries(site)["a:/1"]).path, #require(entries(site)["a:/2"]).path)
        unlink(site.home.path(of: second))
        chmod(site.home.path(of: "dotfiles/applications"), 0o555)
        let failed = try reload()
        #expect(failed.status == 0 && failed.output.contains("xcallback: launchers show old actions: cannot remove '"))
        chmod(site.home.path(of: "dotfiles/applications"), 0o755)
        expect(try site.run("xcallback", "doctor").output) {
            $0.contains(
                "note  entries of actions: 1 missing or old, 298 without an action\n"
                    + "      run: xcallback reload\n")
        }
        try site.home.write("mine\n", to: first)
        expect(try reload().output, equals: "")
        expect(try entries(site).values.map(\.path), equals: [second])
        try write([many[1].replacing("Same", with: "New")], to: site)
        expect(try reload().output, equals: "")
        expect(try entries(site).values.map(\.name), equals: ["New"])
        expect(try site.home.text(of: first), equals: "mine\n")
        expect(try site.run("xcallback", "doctor").output) { !$0.contains("entries of actions: ") }
    }
}
