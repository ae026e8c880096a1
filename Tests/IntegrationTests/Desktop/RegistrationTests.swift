import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// `xcallback register` and `unregister` with the real tools of the desktop.
@Suite(.blocking)
struct RegistrationTests {
    private static let applications = ".local/share/applications"

    @Test func aSchemeIsRegisteredForAllWhoAsk() throws {
        let site = try DesktopSite()
        let result = try site.run("xcallback", "register", "demo", "Web+Notes:")
        #expect(result.status == 0, "\(result.output)")
        for scheme in ["demo", "web+notes"] {
            let type = "x-scheme-handler/\(scheme)"
            expect(try site.run("xdg-mime", "query", "default", type).output, equals: "org.xcallback.Router.desktop\n")
            expect(try site.run("gio", "mime", type).output) { $0.contains("org.xcallback.Router.desktop") }
            #expect(result.output.contains("\(scheme): xcallback has it\n"))
        }
        expect(try site.run("desktop-file-validate", site.directory.path(of: site.entry)).output, equals: "")
    }

    /// Otherwise root would write wherever that user's links lead.
    @Test(.enabled(if: geteuid() == 0, "only root may write to another user's folders"))
    func rootDoesNotWriteThroughTheLinksOfAnotherUser() throws {
        let site = try DesktopSite()
        let (home, target) = (site.directory.path(of: "home"), site.directory.path(of: "target"))
        for folder in [home, target] { _ = try TestFailure.check("mkdir", mkdir(folder, 0o755)) }
        for link in [".local", ".config"] { symlink(target, "\(home)/\(link)") }
        _ = try TestFailure.check("chown", chown(home, 64_000, 64_000))
        let advice = " belongs to uid 64000: root does not write through another user's links; nothing was changed\n"
        for variables in [
            ["HOME=\(home)", "XDG_DATA_HOME="], ["HOME=\(home)/none", "XDG_DATA_HOME="],
            ["XDG_DATA_HOME=\(home)/.local/share"], ["XDG_CONFIG_HOME=\(home)/.config"],
        ] {
            for command in ["register", "unregister"] {
                let result = try site.run("env", variables[0], variables.last ?? "", "xcallback", command, "demo")
                #expect(result.status == 1)
                #expect(result.output == "xcallback: '\(home)'\(advice)run it as that user\n", "\(variables)")
            }
        }
        expect(try site.directory.names(in: "target")) { $0.isEmpty }
        let none = site.directory.path(of: "none")
        expect(try site.run("env", "HOME=\(none)", "XDG_DATA_HOME=", "xcallback", "register", "demo").status, equals: 0)
        #expect(site.directory.contains("none/\(site.entry)"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root may become another user"))
    func theCommandForAnotherUserWorks() throws {
        let site = try DesktopSite()
        let home = site.directory.path(of: "home")
        chmod(site.directory.path, 0o755)
        _ = try TestFailure.check("mkdir", mkdir(home, 0o755))
        _ = try TestFailure.check("chown", chown(home, 1, 1))
        let users = try site.directory.write("root:x:0:0::/root:/bin/sh\ndaemon:x:1:1::\(home):/bin/sh\n", to: "passwd")
        func run(_ words: String) throws -> DesktopSite.Result {
            let script = "mount --bind \(users) /etc/passwd; HOME=\(home) XDG_DATA_HOME= \(words)"
            return try site.run("unshare", "--mount", "sh", "-c", script)
        }
        let advice = try run("xcallback register demo").output.split(separator: "\n").last ?? ""
        #expect(advice == "run it as that user: runuser -u daemon -- xcallback …")
        expect(try run("/usr/sbin/runuser -u daemon -- xcallback register demo").status, equals: 0)
        #expect(site.directory.contains("home/\(site.entry)"))
        expect(try run("/usr/sbin/runuser -u daemon -- xcallback unregister").output, equals: "demo: unregistered\n")
    }

    @Test func onlyOnRequestDoesItGoBeforeOthers() throws {
        let site = try DesktopSite()
        try site.install("other", for: ["demo"], script: "")
        let choice = "[Default Applications]\nx-scheme-handler/demo=other.desktop\n"
        try site.directory.write(choice, to: ".config/mimeapps.list")
        let first = try site.run("xcallback", "register", "demo")
        #expect(first.status == 0)
        #expect(first.output.hasPrefix("demo: other.desktop has it; "), "\(first.output)")
        expect(try site.directory.text(of: ".config/mimeapps.list"), equals: choice)
        let second = try site.run("xcallback", "register", "demo", "--default")
        #expect(second.status == 0)
        #expect(second.output.hasPrefix("demo: xcallback has it\n"))
        expect(try site.run("xcallback", "unregister", "demo").output, equals: "demo: unregistered\n")
        expect(try site.directory.text(of: ".config/mimeapps.list"), equals: choice)
        #expect(!site.directory.contains(site.entry))
    }

    /// The user's entry takes precedence over those that are installed for all.
    @Test func whatIsInstalledForAllUsersKeepsItsSchemes() throws {
        let site = try DesktopSite(shared: "shared")
        try site.install("other", for: ["demo", "chat"], in: "shared/applications", script: "")
        let type = "x-scheme-handler/demo"
        let choices = ".config/mimeapps.list"
        func owners() throws -> [String] {
            let gio = try site.run("gio", "mime", type).output
            return [
                try site.run("xdg-mime", "query", "default", type).output,
                gio.split(separator: "\n").first?.split(separator: " ").last.map { "\($0)\n" } ?? "",
            ]
        }
        expect(try owners(), equals: ["other.desktop\n", "other.desktop\n"])
        for settings in ["", "[Default Applications]\ntext/plain=a.desktop\n"] {
            if !settings.isEmpty { try site.directory.write(settings, to: choices) }
            let first = try site.run("xcallback", "register", "demo", "notes")
            #expect(first.status == 0)
            #expect(first.output.hasPrefix("demo: other.desktop has it; "), "\(first.output)")
            expect(try owners(), equals: ["other.desktop\n", "other.desktop\n"])
            expect(try site.run("desktop-file-validate", site.directory.path(of: site.entry)).output, equals: "")
            // A repeated registration, and other schemes, change nothing for the first one.
            expect(try site.run("xcallback", "register", "demo", "more").status, equals: 0)
            expect(try site.run("xcallback", "unregister", "notes").status, equals: 0)
            expect(try owners(), equals: ["other.desktop\n", "other.desktop\n"])
            expect(try site.run("xcallback", "register", "demo", "--default").status, equals: 0)
            expect(try owners(), equals: Array(repeating: "org.xcallback.Router.desktop\n", count: 2))
            expect(try site.run("xcallback", "unregister").status, equals: 0)
            expect(try owners(), equals: ["other.desktop\n", "other.desktop\n"])
            #expect(!site.directory.contains(site.entry))
            expect(try? site.directory.text(of: choices), equals: settings.isEmpty ? nil : settings)
            if !settings.isEmpty { expect(try site.directory.text(of: choices), equals: settings) }
        }
    }

    @Test func allSchemesOfAConfigurationAreRegistered() throws {
        let site = try DesktopSite()
        let file = try site.directory.write("schemes: [one, two]\nroutes: []\n", to: "config.yaml")
        expect(try site.run("xcallback", "register", "--all", "--config", file).status, equals: 0)
        let types = "MimeType=x-scheme-handler/one;x-scheme-handler/two;x-scheme-handler/xcallback;\n"
        expect(try site.directory.text(of: site.entry)) { $0.contains(types) }
    }

    @Test func anEntryOfSomebodyElseIsLeftAlone() throws {
        let site = try DesktopSite()
        try site.directory.write("[Desktop Entry]\n", to: site.entry)
        for words in [["register", "demo"], ["unregister"]] {
            let result = try site.run("xcallback", words[0], words.dropFirst().first ?? "demo")
            #expect(result.status == 1)
            #expect(result.output.contains("was not written by 'xcallback register'"), "\(result.output)")
        }
        expect(try site.directory.text(of: site.entry), equals: "[Desktop Entry]\n")
    }

    @Test func toolsThatAreMissingAreReported() throws {
        let site = try DesktopSite()
        let programs = try RunningDaemon.program("xcallback").dropLast("/xcallback".count)
        // The owner of the scheme is unknown, so the registration cannot be reported as effective.
        let result = try site.run("PATH=\(programs)", "xcallback", "register", "demo", "--default")
        #expect(result.status == 1)
        #expect(result.output.contains("'update-desktop-database' is not installed (package desktop-file-utils)"))
        #expect(result.output.contains("demo: cannot find its application: neither xdg-mime nor gio is installed"))
        #expect(site.directory.contains(site.entry))
    }

    @Test func twoAtATimeAreBothRegistered() throws {
        let site = try DesktopSite()
        // Each waits for some seconds until the others have ended; here, that can be too short.
        let script = "for scheme in a1 b2 c3 d4; do until xcallback register $scheme; do :; done & done; wait"
        expect(try site.run("sh", "-c", script).status, equals: 0)
        for scheme in ["a1", "b2", "c3", "d4"] {
            expect(try site.directory.text(of: site.entry)) { $0.contains("x-scheme-handler/\(scheme);") }
        }
    }

    @Test func anApplicationWithABlankInItsNameKeepsItsScheme() throws {
        let site = try DesktopSite()
        let entry = "[Desktop Entry]\nType=Application\nName=x\nExec=true %u\nMimeType=x-scheme-handler/demo;\n"
        try site.directory.write(entry, to: "shared/applications/My App.desktop")
        let shared = "XDG_DATA_DIRS=\(site.directory.path(of: "shared")):/usr/share"
        expect(
            try site.run("update-desktop-database", site.directory.path(of: "shared/applications")).status, equals: 0)
        expect(try site.run("xcallback", "register", "demo", environment: [shared]).status, equals: 0)
        let owner = try site.run("xdg-mime", "query", "default", "x-scheme-handler/demo", environment: [shared])
        #expect(owner.output == "My App.desktop\n")
    }

    @Test func whatIsNotUTF8IsNotChanged() throws {
        let site = try DesktopSite()
        let choices = site.directory.path(of: ".config/mimeapps.list")
        expect(
            try site.run("sh", "-c", "mkdir -p ~/.config && printf '# caf\\351\\n' >~/.config/mimeapps.list").status,
            equals: 0)
        let result = try site.run("xcallback", "register", "demo", "--default")
        #expect(
            result.status == 1 && result.output.contains("'\(choices)' is not UTF-8 and was not changed"),
            "\(result.output)")
        expect(try site.run("od", "-An", "-c", choices).output) { $0.contains("351") }
    }

    @Test func aFileThatIsALinkStaysOne() throws {
        let site = try DesktopSite()
        let target = try site.directory.write("", to: "dotfiles/mimeapps.list")
        chmod(target, 0o600)
        try site.directory.write("", to: ".config/other")
        symlink(target, site.directory.path(of: ".config/mimeapps.list"))
        expect(try site.run("xcallback", "register", "demo", "--default").status, equals: 0)
        let text = "[Default Applications]\nx-scheme-handler/demo=org.xcallback.Router.desktop;\n"
        expect(try site.directory.text(of: "dotfiles/mimeapps.list"), equals: text)
        var status = stat()
        #expect(lstat(target, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(lstat(site.directory.path(of: ".config/mimeapps.list"), &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
        expect(try site.run("xcallback", "unregister").status, equals: 0)
        expect(try site.directory.text(of: ".config/mimeapps.list"), equals: "")
    }

    static let words: [[String]] = [[], ["--default"], ["a b"], ["http"], ["file"], ["1x"], [""], ["javascript:"]]

    @Test func whatIsNoSchemeIsAnErrorOfUsage() throws {
        let site = try DesktopSite()
        for words in Self.words {
            expect(try site.start(["xcallback", "register"] + words, to: "output").wait(), equals: 64, "\(words)")
        }
        #expect(!site.directory.contains(".local"))
    }
}
