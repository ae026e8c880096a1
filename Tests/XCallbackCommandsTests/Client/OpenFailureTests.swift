import Glibc
import TestSupport
import Testing

/// `xcallback open` when nothing is sent.
@Suite(.blocking)
struct OpenFailureTests {
    private static func advice(_ socket: String) -> String { "start it: run 'xcallbackd --socket \(socket)'\n" }
    private static let missingScheme =
        "has no scheme: expected a letter, then letters, digits, '+', '-' or '.', then a colon; nothing was sent\n"
    private static let rawControl = "write it percent-encoded; nothing was sent\n"

    static let refused: [(url: String, message: String)] = [
        ("", "xcallback: the URL '' \(missingScheme)"),
        ("ping", "xcallback: the URL 'ping' \(missingScheme)"),
        ("/ping", "xcallback: the URL '/ping' \(missingScheme)"),
        ("{\"method\":1}", "xcallback: the URL '{\"method\":1}' \(missingScheme)"),
        ("notes:/a b", "xcallback: the URL 'notes:/a b' has a space or control character at byte 8: \(rawControl)"),
        (
            "notes:/a\nnotes:/b",
            "xcallback: the URL 'notes:/a<U+000A>notes:/b' has a space or control character at byte 8: \(rawControl)"
        ),
        (
            "notes:/a\r",
            "xcallback: the URL 'notes:/a<U+000D>' has a space or control character at byte 8: \(rawControl)"
        ),
    ]

    @Test(arguments: refused)
    func aURLThatWouldEndTheConversationIsRefused(url: String, message: String) throws {
        let workspace = try CommandWorkspace()
        // A good URL before it is not sent either: there is no daemon, and that is not told.
        expect(try workspace.open("notes:/good", url), equals: ProgramResult(status: 64, errors: message))
    }

    @Test func aSocketThatNobodyServesIsNotReachable() throws {
        let workspace = try CommandWorkspace()
        // Its socket stays.
        _ = try ScriptedDaemon(path: workspace.socket)
        let result = try workspace.run("open", "notes:/a", environment: ["XDG_RUNTIME_DIR=\(workspace.directory)"])
        let message = "xcallback: cannot reach the daemon at '\(workspace.socket)': Connection refused\n"
        #expect(result == ProgramResult(status: 7, errors: message + Self.advice(workspace.socket)))
    }

    @Test(arguments: [
        ["open", "notes:/a"], ["explain", "notes:/a"], ["routes"], ["monitor"], ["status"], ["reload"],
        ["publish", "t"], ["subscribe", "t"],
        ["listen", "me", "--", "cat"],
    ])
    func everyCommandThatAsksTheDaemonTellsThatItIsNotThere(arguments: [String]) throws {
        let workspace = try CommandWorkspace()
        let words = arguments.prefix(1) + ["--socket", workspace.socket] + arguments.dropFirst()
        let message = "xcallback: cannot reach the daemon at '\(workspace.socket)': No such file or directory\n"
        let result = try workspace.run(Array(words))
        #expect(result == ProgramResult(status: 7, errors: message + Self.advice(workspace.socket)))
    }

    @Test func aPathThatFitsIntoNoAddressIsNotReachable() throws {
        let workspace = try CommandWorkspace()
        let path = "/" + String(repeating: "a", count: 107)
        let result = try workspace.run("open", "notes:/a", "--socket", path)
        let message = "xcallback: cannot reach the daemon: the path '\(path)' is longer than 107 bytes\n"
        #expect(result == ProgramResult(status: 7, errors: message))
    }

    static let misuses: [[String]] = [
        ["open"], ["open", "--socket", "", "notes:/a"], ["open", "--sockt", "x", "notes:/a"],
        ["routes", "--origin", "web"], ["check", "c.yaml", "d.yaml"], ["routes", "--user", "--system"],
        ["open", "--socket", "/a", "--user", "notes:/a"], ["status", "--prometheus"], ["listen", "me"],
        ["listen"],
        ["listen", "me", "--", "/no/such/program"], ["listen", "me", "--parallel", "0", "--", "cat"],
        ["listen", "me", "--output", "xml", "--", "cat"], ["subscribe"], ["publish"],
    ]

    @Test(arguments: misuses)
    func aCommandLineThatIsNotUnderstoodEndsWith64(arguments: [String]) throws {
        let workspace = try CommandWorkspace()
        let result = try workspace.run(arguments)
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(result.errors.hasPrefix("Error: "))
    }
}
