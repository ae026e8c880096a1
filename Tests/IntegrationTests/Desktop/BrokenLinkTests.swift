import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Links that do not open: `xcallback doctor URL` names the cause, and its command repairs it for the real openers.
@Suite(.blocking)
struct BrokenLinkTests {
    private static let url = "tt://one/two?a=b"
    private static let type = "x-scheme-handler/tt"
    private static let applications = ".local/share/applications"

    /// An entry with a mistake; `APP` is its program, and `DIR` the user's home.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// What the finding says.
        let finding: String
        /// How the first command begins.
        let command: String
        var exec = "APP %u"
        /// More lines of the entry.
        var lines = ""
        var path = ".local/share/applications/app.desktop"
        var mimeType = "MimeType=x-scheme-handler/tt;\n"
        var head = "[Desktop Entry]\nType=Application\n"
        /// More files, by path; programs if they are in a folder of programs.
        var files: [String: String] = [:]
        /// A command that runs when all files are there.
        var then = ""

        init(_ name: String, _ finding: String, _ command: String = "", change: (inout Case) -> Void = { _ in }) {
            (testDescription, self.finding, self.command) = (name, finding, command)
            change(&self)
        }
    }

    private static let other = "[Desktop Entry]\nType=Application\nName=b\nExec=APP %u\nMimeType=x-scheme-handler/tt;\n"

    static let repaired: [Case] = [
        .init("no %u", "without the link: its 'Exec' has no %u") { $0.exec = "APP" },
        .init("no %u, with options", "has no %u") { $0.exec = "APP --open" },
        .init("%f", "has %f, which is for files") { $0.exec = "APP %f" },
        .init("%F", "has %f, which is for files") { $0.exec = "APP --open %F" },
        .init("a program that has moved", "starts /opt/gone/app, which does not exist. Is it now /") {
            $0.exec = "/opt/gone/app %u"
        },
        .init("a program that has moved out of PATH", "starts /opt/gone/tool, which does not exist") {
            $0.exec = "/opt/gone/tool %u"
            $0.then = "mkdir -p .local/bin; cp bin/app .local/bin/tool"
        },
        .init("a quoted program that has moved", "starts /opt/g one/app, which") { $0.exec = "\"/opt/g one/app\" %u" },
        .init("a program after env that has moved", "starts /opt/gone/app, which") {
            $0.exec = "env A=b /opt/gone/app %u"
        },
        .init("a program outside of PATH", "starts tool, which the desktop does not find. Is it /") {
            $0.exec = "tool %u"
            $0.then = "mkdir -p .local/bin; mv bin/app .local/bin/tool"
        },
        .init("a program that is called like its scheme", "starts tt, which the desktop does not find") {
            $0.exec = "tt %u"
            $0.head = "[Desktop Entry]\nType=Application\nIcon=tt\nMimeType=\(type);\n"
            $0.mimeType = "\n[Desktop Action new]\nName=tt\nExec=tt --new\n"
            $0.then = "mkdir -p .local/bin; mv bin/app .local/bin/tt"
        },
        .init("~ in Exec", "starts ~/bin/app, which the desktop does not find") { $0.exec = "~/bin/app %u" },
        .init("$HOME in Exec", "starts $HOME/bin/app, which") { $0.exec = "$HOME/bin/app %u" },
        .init("a program without the right to run", "app, which is not executable") { $0.then = "chmod 644 bin/app" },
        .init("TryExec", "its 'TryExec', /opt/gone/app, does not exist") { $0.lines = "TryExec=/opt/gone/app\n" },
        .init("Hidden", "'Hidden=true' means that it is deleted") { $0.lines = "Hidden=true\n" },
        .init("a hidden copy", "is ignored: 'Hidden=true'") {
            $0.path = "own/applications/app.desktop"
            $0.files = ["\(applications)/app.desktop": "[Desktop Entry]\nType=Application\nHidden=true\n\(type)\n"]
        },
        .init("%u in quotes", "has %u in quotes") { $0.exec = "APP \"%u\"" },
        .init("%u in single quotes", "has %u in quotes") { $0.exec = "APP '%u'" },
        .init("an old field code", "has a field code that is no longer valid in 'Exec'") { $0.exec = "APP %n %u" },
        .init("a wrong type", "it lacks 'Type=Application'") { $0.head = "[Desktop Entry]\nType=Link\n" },
        .init("a second type", "it lacks 'Type=Application'") { $0.lines = "Type=Link\n" },
        .init("no type", "it lacks 'Type=Application'") { $0.head = "[Desktop Entry]\n" },
        .init("a wrong group", "lacks '[Desktop Entry]'") {
            $0.head = "[desktop entry]\nType=Application\n"
        },
        .init("line ends of Windows", "has the line ends of Windows") {
            $0.then = "sed -i 's/$/\\r/' \(applications)/app.desktop"
        },
        .init("a byte order mark", "lacks '[Desktop Entry]'") { $0.head = "\u{feff}\($0.head)" },
        .init("blanks before =", "has blanks before '='") {
            $0.then = "sed -i 's/=/ = /' \(applications)/app.desktop"
        },
        .init("a relative program", "starts ./app, which does not exist. Is it now /") { $0.exec = "./app %u" },
        .init("a folder that is gone", "starts in /opt/gone, which does not exist") { $0.lines = "Path=/opt/gone\n" },
        .init("a removed association", "may have it in '[Removed Associations]'") {
            $0.files = [".config/mimeapps.list": "[Removed Associations]\n\(type)=app.desktop;\n"]
        },
        .init("a type in capitals", "does not have '\(type)' in its 'MimeType'") {
            $0.mimeType = "MimeType=x-scheme-handler/Tt;\n"
        },
        .init("a wrong key", "does not have '\(type)'") { $0.mimeType = "MimeTypes=\(type);\n" },
        .init("a scheme alone", "does not have '\(type)'") { $0.mimeType = "MimeType=tt\n" },
        .init("a comma", "does not have '\(type)'") { $0.mimeType = "MimeType=\(type),x-scheme-handler/uu\n" },
        .init("an older cache", "is not in the desktop's cache") {
            $0.then = "echo '[MIME Cache]' >\(applications)/mimeinfo.cache"
        },
        .init("a cache with a removed entry", "the desktop's cache names gone.desktop") {
            $0.then = "printf '[MIME Cache]\\n\(type)=gone.desktop;\\n' >\(applications)/mimeinfo.cache"
        },
        .init("a list with a path", "names /usr/share/applications/app.desktop for tt: links") {
            $0.files = [
                ".config/mimeapps.list": "[Default Applications]\n\(type)=/usr/share/applications/app.desktop\n"
            ]
        },
        .init("a list that only GTK reads", "openers differ: app.desktop, but GTK programs start b.desktop") {
            $0.files = [
                ".config/mimeapps.list": "[Default Applications]\n\(type) = b.desktop\n",
                "\(applications)/b.desktop": other,
            ]
        },
        .init("a name with blanks", "/my app.desktop starts its program without the link") {
            $0.path = "\(applications)/my app.desktop"
            $0.exec = "APP"
        },
        .init("an entry of all users", "without the link") {
            $0.path = "own/applications/app.desktop"
            $0.exec = "APP"
        },
        .init("an entry in a folder", "without the link") {
            $0.path = "\(applications)/vendor/app.desktop"
            $0.exec = "APP"
        },
        .init("a Flatpak that is gone", "starts the Flatpak org.example.App, which is not installed") {
            $0.exec = "DIR/bin/flatpak run --branch=stable org.example.App @@u %u @@"
            $0.files = ["bin/flatpak": "#!/bin/sh\nexit 1\n", "\(applications)/b.desktop": other]
        },
        .init("a Flatpak's folder", "is in a folder that this session does not read ($XDG_DATA_DIRS)") {
            $0.path = ".local/share/flatpak/exports/share/applications/app.desktop"
        },
        .init("a list, and no MimeType", "names gone.desktop for tt: links") {
            $0.path = "\(applications)/org.example.TT.desktop"
            $0.mimeType = ""
            $0.files = [".config/mimeapps.list": "[Default Applications]\n\(type)=gone.desktop\n"]
        },
        .init("no MimeType", "does not have '\(type)' in its 'MimeType'") {
            $0.path = "\(applications)/tt.desktop"
            $0.mimeType = ""
        },
        .init("a list with an entry in a folder", "names tt.desktop for tt: links, which is not installed") {
            $0.path = "\(applications)/wine/Programs/tt.desktop"
            $0.mimeType = ""
            $0.files = [".config/mimeapps.list": "[Default Applications]\n\(type)=tt.desktop\n"]
        },
        .init("a stale copy of a broken entry", "starts /opt/gone/app, which does not exist", "sed ") {
            $0.path = "own/applications/app.desktop"
            $0.exec = "APP"
            $0.files = ["\(applications)/app.desktop": other.replacing("APP", with: "/opt/gone/app")]
        },
        .init("a stale copy", "/applications/app.desktop, which hides /") {
            $0.path = "own/applications/app.desktop"
            $0.files = ["\(applications)/app.desktop": other.replacing("APP", with: "/opt/gone/app")]
        },
        .init("a newer AppImage", "which does not exist. Is it now /") {
            $0.exec = "DIR/Applications/My_App-1.5.AppImage %u"
            $0.then = "mkdir Applications; mv bin/app Applications/My_App-1.6.AppImage"
        },
        .init("an AppImage that has moved", "which does not exist. Is it now /") {
            $0.exec = "DIR/Downloads/App.AppImage %u"
            $0.then = "mkdir Applications; mv bin/app Applications/App.AppImage"
        },
        .init("another entry with the scheme", "has %f, which is for files", "xdg-mime default b.desktop ") {
            $0.exec = "APP %F"
            $0.mimeType = ""
            $0.files = [
                ".config/mimeapps.list": "[Default Applications]\n\(type)=app.desktop\n",
                "\(applications)/b.desktop": other,
            ]
        },
        .init("another entry with a shell's sign", "has %f, which is for", "xdg-mime default 'b&c.desktop' ") {
            $0.exec = "APP %F"
            $0.mimeType = ""
            $0.files = [
                ".config/mimeapps.list": "[Default Applications]\n\(type)=app.desktop\n",
                "\(applications)/b&c.desktop": other,
            ]
        },
        .init("another entry beside quotes", "that xdg-open does not read", "xdg-mime default b.desktop ") {
            $0.exec = "env \"A=b c\" APP %u"
            $0.files = ["own/applications/b.desktop": other]
        },
        .init("a service that is missing", "'DBusActivatable=true', but no dbus-1/services/org.example.App.service") {
            $0.path = "\(applications)/org.example.App.desktop"
            $0.lines = "DBusActivatable=true\n"
        },
    ]

    /// Lists that begin with an application that is not installed: openers go on to the next one.
    static let opened = ["gone.desktop", "gone.desktop;app.desktop"]

    static let named: [Case] = [
        .init("a list alone", "mimeapps.list names gone.desktop for tt: links, which is not installed") {
            $0.mimeType = ""
            $0.files = [".config/mimeapps.list": "[Default Applications]\n\(type)=gone.desktop\n"]
        },
        .init("control characters", "starts /opt/<U+001B>[31mgone, which does not exist") {
            $0.exec = "/opt/\u{1b}[31mgone %u"
        },
        .init("code", "puts the link into code of 'Exec'") { $0.exec = "sh -c \"APP %u\"" },
        .init("code of Zotero", "puts the link into code of 'Exec'") {
            $0.exec = #"bash -c "$(dirname $(realpath $(echo %k | sed -e 's/^file:\/\///')))/app -url %U""#
        },
        .init("a link to an entry that is gone", "is a link to a file that does not exist") {
            $0.path = "elsewhere/app.desktop"
            $0.then = "ln -s /opt/gone/app.desktop \(applications)/tt.desktop"
        },
        .init("a quoted program", "that xdg-open does not read") { $0.exec = "\"APP\" %u" },
        .init("a program with a blank", "that xdg-open does not read") {
            $0.exec = "\"DIR/my apps/app\" %u"
            $0.then = "mkdir 'my apps'; mv bin/app 'my apps/app'"
        },
        .init("a quoted variable", "that xdg-open does not read") { $0.exec = "env \"A=b c\" APP %u" },
        .init("a glued %u", "that xdg-open does not read") { $0.exec = "APP --url=%u" },
        .init("no Exec", "starts no program: it has no 'Exec'") { $0.exec = "" },
        .init("no application", "no application opens tt: links") { $0.path = "elsewhere/app.desktop" },
        .init("a Flatpak that is gone, and no other", "the Flatpak org.example.App, which is not installed") {
            $0.exec = "DIR/bin/flatpak run org.example.App %u"
            $0.files = ["bin/flatpak": "#!/bin/sh\nexit 1\n"]
        },
    ]

    /// What a machine with a terminal opens.
    private static let hasTerminal = access("/usr/bin/x-terminal-emulator", X_OK) == 0

    @Test(.enabled(if: !hasTerminal, "needs a machine without a terminal"))
    func aMissingTerminalIsNamed() throws {
        let broken = Case("a terminal", "needs a terminal, and none is installed") { $0.lines = "Terminal=true\n" }
        try aCauseWithoutACommandIsNamed(broken)
    }

    /// Creates the home of a case.
    private func site(_ broken: Case) throws -> DesktopSite {
        // KDE's opener starts nothing without a display or this.
        let session = ["DISPLAY=:99", "BROWSER=/bin/false", "QT_QPA_PLATFORM=offscreen"]
        let site = try DesktopSite(shared: "own", session: session)
        let home = site.directory.path
        func filled(_ text: String) -> String {
            text.replacing("APP", with: "\(home)/bin/app").replacing("DIR", with: home)
        }
        try site.install(program: "app", script: #"report "$*""#)
        let text = "\(broken.head)Name=app\nExec=\(broken.exec)\n\(broken.mimeType)\(broken.lines)"
        for (path, text) in broken.files.merging([broken.path: text], uniquingKeysWith: { $1 }) {
            let file = try site.directory.write(filled(text), to: path)
            if path.hasPrefix("bin/") { chmod(file, 0o755) }
        }
        let update = "mkdir -p \(Self.applications); update-desktop-database \(Self.applications) own/applications"
        try site.run("sh", "-c", "cd '\(home)'; \(update); \(broken.then)")
        return site
    }

    /// The command that the first fault prints; nil if there is no fault.
    private func fault(_ site: DesktopSite) throws -> (text: String, command: String?)? {
        let result = try site.run("xcallback", "doctor", Self.url)
        let lines = result.output.split(separator: "\n").map(String.init)
        guard let index = lines.firstIndex(where: { $0.hasPrefix("FAULT ") }) else {
            expect(result.status, equals: 0)
            return nil
        }
        expect(result.status, equals: 1)
        #expect(lines.filter { $0.hasPrefix("FAULT ") }.count == 1, "\(result.output)")
        let next = lines.dropFirst(index + 1).first ?? ""
        return (lines[index], next.hasPrefix("      run: ") ? String(next.dropFirst("      run: ".count)) : nil)
    }

    @Test(arguments: repaired)
    func aCauseIsNamedAndItsCommandRepairsIt(_ broken: Case) throws {
        let site = try site(broken)
        let first = try #require(try fault(site))
        #expect(first.text.contains(broken.finding), "\(first.text)")
        #expect(first.command?.hasPrefix(broken.command) == true, "\(first.command ?? "")")
        // Behind a cause there can be another one, such as a path with blanks after a program that was found again.
        for _ in 1...3 {
            guard let cause = try fault(site) else { break }
            let command = try #require(cause.command, "\(cause.text)")
            let result = try site.run("sh", "-c", command)
            #expect(result.status == 0, "\(command): \(result.output)")
        }
        #expect(try fault(site)?.text == nil)
        #expect(!site.hasMore, "doctor has started the application")
        try expectLinksOpen(site)
    }

    /// Opens the link with each opener that is installed.
    private func expectLinksOpen(_ site: DesktopSite) throws {
        for opener in [["xdg-open"], ["gio", "open"], ["kde-open5"], ["kde-open"]] {
            guard try site.run("which", opener[0]).status == 0 else { continue }
            let result = try site.run(words: opener + [Self.url])
            #expect(result.status == 0, "\(opener): \(result.output)")
            expect(try site.nextReport()) { $0.hasSuffix(Self.url) }
        }
    }

    @Test(arguments: opened)
    func aListWithAnApplicationThatIsGoneDoesNotMatter(list: String) throws {
        let site = try site(
            Case("a list", "") {
                $0.files = [".config/mimeapps.list": "[Default Applications]\n\(Self.type)=\(list)\n"]
            })
        let output = try site.run("xcallback", "doctor", Self.url).output
        let gone = list.split(separator: ";")[0]
        #expect(output.hasPrefix("ok    ") && output.contains("names \(gone), which is not installed"), "\(output)")
        try expectLinksOpen(site)
    }

    @Test func aCopyThatOpenersPassOverDoesNotMatter() throws {
        let site = try site(
            Case("a copy", "") {
                $0.path = "own/applications/app.desktop"
                $0.files = ["\(Self.applications)/app.desktop": "\(Self.other)TryExec=/opt/gone/app\n"]
            })
        expect(try site.run("xcallback", "doctor", Self.url).output) { $0.hasPrefix("ok    ") }
        try expectLinksOpen(site)
    }

    @Test func aListOfTheDesktopIsChangedItself() throws {
        let site = try DesktopSite(session: ["XDG_CURRENT_DESKTOP=GNOME"])
        for name in ["a", "b"] { try site.install(name, for: ["tt"], script: "report \(name)") }
        let (odd, folder) = ("b&#c", site.directory.path(of: Self.applications))
        try site.run("sh", "-ec", "cd '\(folder)'; mv b.desktop '\(odd).desktop'; update-desktop-database .")
        for (list, name) in [("gnome-mimeapps", "a"), ("mimeapps", odd)] {
            try site.directory.write(
                "[Default Applications]\n\(Self.type)=\(name).desktop\n", to: ".config/\(list).list")
        }
        let output = try site.run("xcallback", "doctor", Self.url).output
        let command = try #require(output.split(separator: "run: ").last)
        try site.run("sh", "-c", String(command))
        expect(try site.run("xcallback", "doctor", Self.url).output) { $0.contains("/\(odd).desktop opens tt: links") }
    }

    @Test func whatAnOpenerMakesOfCodeIsNotGuessed() throws {
        let exec = #"sh -c "$HOME/bin/app %U""#
        let site = try site(Case("code", "") { $0.exec = exec })
        let gnome = ["XDG_CURRENT_DESKTOP=GNOME"]
        expect(try site.run("xcallback", "doctor", Self.url, environment: gnome).output) {
            $0.hasPrefix("ok    ") && $0.contains("it starts: \(exec), with the link for %u\n")
        }
    }

    /// Versions of xdg-open before 1.2 know no digits in schemes.
    @Test func aDigitThatXdgOpenDoesNotKnowIsNamed() throws {
        let site = try DesktopSite()
        try site.install("app", for: ["t2t"], script: "report")
        let isTakenForFile = try site.run("xdg-open", "t2t:a").status == 2
        for words in [["doctor", "t2t:a"], ["register", "t2t"]] {
            let output = try site.run(words: ["xcallback"] + words).output
            #expect(output.contains("takes t2t: links for files, because ") == isTakenForFile, "\(output)")
        }
        expect(try site.run("xcallback", "doctor", Self.url).output) { !$0.contains("for files") }
    }

    @Test func aCommandUpdatesACacheOnlyIfItIsRead() throws {
        let listed = try site(
            Case("a list", "") {
                $0.exec = "APP"
                $0.files = [".config/mimeapps.list": "[Default Applications]\n\(Self.type)=app.desktop\n"]
            })
        let command = try #require(try fault(listed)?.command)
        #expect(command.hasPrefix("sed ") && !command.contains("update-desktop-database"), "\(command)")
        let cached = try site(
            Case("a shared cache", "") {
                $0.mimeType = ""
                $0.files = ["own/applications/b.desktop": Self.other]
                $0.then = "update-desktop-database own/applications; rm own/applications/b.desktop"
            })
        let update = try #require(try fault(cached)?.command)
        #expect(update == "update-desktop-database \(cached.directory.path)/own/applications")
    }

    @Test(arguments: named)
    func aCauseWithoutACommandIsNamed(_ broken: Case) throws {
        let site = try site(broken)
        let cause = try #require(try fault(site))
        #expect(cause.text.contains(broken.finding), "\(cause.text)")
        #expect(!site.hasMore)
    }

    @Test func aLinkOfTheDaemonIsExplained() throws {
        let daemon = try RunningDaemon(
            "schemes: [notes]\nroutes: [{ route: notes:/new/page, public: true, respond: { a: 1 } }]\n")
        let site = try DesktopSite(socket: daemon.socket)
        func doctor(_ url: String) throws -> String { try site.run("xcallback", "doctor", url).output }
        try site.install("other", for: ["notes"], script: "report")
        let lost = try doctor("notes:/new/page")
        // Another application may keep its own scheme.
        #expect(lost.hasPrefix("ok    ") && lost.contains("\nnote  scheme notes has routes, but "), "\(lost)")
        #expect(
            lost.contains("/other.desktop) opens its links\n      run: xcallback register notes --default\n"), "\(lost)"
        )
        expect(try site.run("xcallback", "register", "notes", "--default").status, equals: 0)
        let own = try doctor("notes:/new/page")
        #expect(own.hasPrefix("ok    ") && own.contains("\nok    answers a=1\n"), "\(own)")
        #expect(own.contains("/other.desktop can open notes: links, too\n      run: xdg-mime default other.desktop "))
        let wrong = try site.run("xcallback", "doctor", "notes://New/pages")
        #expect(wrong.output.contains("\nFAULT the closest route is notes:/new/page, but "), "\(wrong.output)")
        expect(wrong.status, equals: 1)
        expect(try site.run("xcallback", "doctor", "no scheme").status, equals: 64)
        // Without a daemon, the desktop is checked all the same.
        expect(try daemon.stop(), equals: 0)
        expect(try doctor("notes:")) { $0.hasPrefix("ok    ") }
    }

    /// Also where no route is public, so that the desktop reaches none.
    @Test func aLinkOfAPrivateRouteIsRefused() throws {
        let daemon = try RunningDaemon("schemes: [notes]\nroutes: [{ route: notes:/new, respond: { a: 1 } }]\n")
        let site = try DesktopSite(socket: daemon.socket)
        expect(try site.run("xcallback", "register", "notes", "xcallback").status, equals: 0)
        let refused = try site.run("xcallback", "doctor", "notes:/new")
        #expect(refused.status == 1 && refused.output.contains("public: true"), "\(refused.output)")
        // The scheme of answers needs no routes.
        let answer = try site.run("xcallback", "doctor", "xcallback://x-callback-url/success")
        #expect(answer.status == 0, "\(answer.output)")
    }

    @Test func aCallAndACallbackThatFailNameTheCause() throws {
        let daemon = try RunningDaemon(
            "schemes: [notes]\nroutes: [{ route: notes:/a, public: true, respond: { a: 1 } }]\n"
                + "callbacks: { allow: [tt] }\n")
        // There, xdg-open starts gio.
        let session = ["DISPLAY=:99", "XDG_CURRENT_DESKTOP=GNOME"]
        let site = try DesktopSite(socket: daemon.socket, session: session)
        expect(try site.run("xcallback", "register", "xcallback").status, equals: 0)
        try site.install("app", for: ["tt"], script: "report started")
        let entry = "\(Self.applications)/app.desktop"
        let text = try site.directory.text(of: entry)
        try site.directory.write(text.replacing(" %u", with: ""), to: entry)
        let call = try site.run("xcallback", "call", "--timeout", "1s", Self.url)
        #expect(call.status == 4, "\(call.output)")
        #expect(
            call.output.contains(
                "app.desktop starts its program without the link: its 'Exec' has no %u; run: sed -i -e '/"))
        try site.directory.write(text.replacing("/bin/app", with: "/bin/gone"), to: entry)
        let handled = try site.run("xcallback", "handle", "--", "notes:/a?x-success=tt://done")
        #expect(handled.status == 1)
        #expect(handled.output.contains("/bin/gone, which does not exist"), "\(handled.output)")
    }
}
