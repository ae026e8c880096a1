import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The files in `config/examples`.
@Suite(.blocking)
struct ExampleFileTests {
    /// Their paths in that folder.
    static let files = packageFiles(below: folder, endingIn: ".yaml").map { String($0.dropFirst(folder.count + 1)) }
    private static let folder = "config/examples"

    /// Stand-ins for programs that the files name without a shell: a missing one is a warning.
    private static let standIns = Dictionary(
        uniqueKeysWithValues: ["chromium", "code", "firefox", "mpv", "systemctl", "systemd-run", "x-terminal-emulator"]
            .map { ($0, "") })

    @Test(arguments: files)
    func nothingIsWrongWithAny(file: String) throws {
        let directory = try TemporaryDirectory()
        try ExampleSite.install(["notes", "todo"], standIns: Self.standIns, in: directory)
        let path = try directory.write(textOfPackageFile("config/examples/\(file)"), to: "config.yaml")
        let check = try Self.run([RunningDaemon.program("xcallback"), "check", path], in: directory)
        #expect(check.status == 0 && check.error == "", "\(check.error)")
    }

    /// All may be drop-ins, so none contains settings for all routes.
    @Test func allOfThemCanBeUsedTogether() throws {
        let directory = try TemporaryDirectory()
        try ExampleSite.install(["notes", "todo"], standIns: Self.standIns, in: directory)
        let path = try directory.write("schemes: [own]\n", to: "config.yaml")
        for file in Self.files {
            try directory.write(textOfPackageFile("config/examples/\(file)"), to: "routes.d/\(file)")
        }
        for name in ["notes", "todo"] {
            #expect(rename(directory.path(of: name), directory.path(of: "routes.d/\(name)/\(name)")) == 0)
        }
        let check = try Self.run([RunningDaemon.program("xcallback"), "check", path], in: directory)
        #expect(check.status == 0 && check.error == "", "\(check.error)")
    }

    static let reaches: [(file: String, url: String, isReached: Bool)] = [
        ("capture.yaml", "org-protocol://capture?url=https:a&title=b", true),
        ("links.yaml", "https://github.com/acme", true), ("links.yaml", "http://talk.example.com/a", true),
        ("notes/notes.yaml", "notes:/new?title=a", true), ("notes/notes.yaml", "notes:/list", false),
        ("todo/todo.yaml", "todo:/list", false), ("ssh.yaml", "ssh://host", true), ("mpv.yaml", "mpv:https://a", true),
        ("magnet.yaml", "magnet:?xt=a", true), ("editor.yaml", "editor:/open?file=a", true),
        ("later.yaml", "later:/add?url=https:a", true), ("later.yaml", "later:/next", false),
        ("timer.yaml", "timer:/list", false), ("events.yaml", "events:/last", false),
        ("obsidian.yaml", "vault:/note?file=a", false),
        ("clipboard.yaml", "clipboard:/paste", false), ("demo.yaml", "demo:/ping", false),
        ("screenshots.yaml", "shot:/take", false),
        ("gate/gate.yaml", "gate:/use?client=a&tool=b&text=c", false),
    ]

    @Test(arguments: reaches)
    func aPageReachesWhatIsMeantForIt(file: String, url: String, isReached: Bool) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(textOfPackageFile("config/examples/\(file)"), to: "config.yaml")
        let explanation = try Self.run(
            [RunningDaemon.program("xcallback"), "explain", "--json", "--config", path, "--origin", "desktop", url],
            in: directory)
        #expect(explanation.output.contains(#""code":403"#) != isReached, "\(explanation)")
    }

    private static func run(
        _ arguments: [String], in directory: TemporaryDirectory
    ) throws -> (status: Int32, output: String, error: String) {
        let process = try ChildProcess(
            arguments, environment: ["PATH=\(directory.path)/bin:/usr/bin:/bin", "HOME=\(directory.path)"],
            output: directory.path(of: "output"), error: directory.path(of: "error"))
        return (try process.wait(), try directory.text(of: "output"), try directory.text(of: "error"))
    }
}
