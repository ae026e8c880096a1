import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Every value reaches a program as one argument, byte by byte, or not at all.
@Suite(.blocking)
struct ExecArgumentTests {
    private static let routes = """
          - route: run:/plain
            input: { v: string }
            exec: [DIR/record, "{v}"]
          - route: run:/prefixed
            input: { v: string }
            exec: [DIR/record, "--text={v}", "a{v}b"]
          - route: run:/operand
            input: { v: string }
            exec: [DIR/record, --, "{v}"]
          - route: run:/started
            input: { v: string }
            exec: [env, --, DIR/record, "{v}"]
          - route: run:/started/operand
            input: { v: string }
            exec: [env, --, DIR/record, --, "{v}"]
          - route: run:/dashing
            input: { v: { type: string, allow-dash: true }, w: string }
            exec: [DIR/record, "{v}{w}"]
          - route: run:/two
            input: { v: string, w: string }
            exec: [DIR/record, "{v}-{w}"]
          - route: run:/path
            input: { v: string, w: { type: string, default: "" } }
            exec: [DIR/record, "/srv/{v}{w}"]
          - route: run:/dotted
            input: { v: string, w: { type: string, default: "" } }
            exec: [DIR/record, "/srv/.{v}{w}"]
          - route: run:/beside
            input: { v: string }
            exec: [DIR/record, "--dir=/srv/x{v}", "https://a.example/?q={v}"]
          - route: run:/number
            input: { v: int }
            exec: [DIR/record, "-{v}", "-n{v}"]
          - route: run:/list/*v
            input: { w: { type: list, of: string } }
            exec: [DIR/record, "{v}", "{w}", "/srv/{v}"]
        """

    private let site: ExecSite

    init() throws {
        site = try ExecSite(
            Self.routes, programs: ["record": #"printf '%s\0' "$#" "$@" >"${0%/*}/arguments""#],
            limits: "{ line: 1MiB }")
    }

    /// Sends a request, and returns the arguments of the program; nil if the request was rejected.
    private func record(_ action: String, answer: inout String?) throws -> [String]? {
        unlink(site.directory.path(of: "arguments"))
        answer = try site.ask(action)
        guard site.directory.contains("arguments") else { return nil }
        let parts = try site.directory.text(of: "arguments").split(separator: "\0", omittingEmptySubsequences: false)
        // A NUL follows each argument, and the first text is their number.
        #expect(parts.last == "" && Int(parts[0]) == parts.count - 2)
        return parts[1..<(parts.count - 1)].map(String.init)
    }

    static let values = [
        "", " ", "  a  b  ", "\"", "'", "\\", "`id`", "$(id)", "${HOME}", "$HOME", ";id;", "&& id", "| id", "> /tmp/x",
        "*", "?", "~", "~root", "!!", "#", "a\nb", "\n", "\r\n", "\t", "a\u{1}b", "\u{7F}", "\u{1B}[31m", "{id}",
        "{{}}",
        "%s%n", "é\u{301}🚀", "\u{FEFF}", "../..", "/etc/passwd", "a=b", "@file",
        String(repeating: "x", count: 60_000), String(repeating: "z", count: 100_000),
    ]

    @Test(arguments: values)
    func aValueIsOneArgument(value: String) throws {
        var answer: String?
        let encoded = value.percentEncoded
        expect(try record("plain?v=\(encoded)", answer: &answer), equals: [value])
        expect(try record("operand?v=\(encoded)", answer: &answer), equals: ["--", value])
        expect(try record("prefixed?v=\(encoded)", answer: &answer), equals: ["--text=\(value)", "a\(value)b"])
    }

    static let options = ["-", "--", "-rf", "--help", "-\n"]

    @Test(arguments: options)
    func whatLooksLikeAnOptionIsRefusedUnlessItCannotBeOne(value: String) throws {
        var answer: String?
        let encoded = value.percentEncoded
        expect(try record("plain?v=\(encoded)", answer: &answer), equals: nil)
        #expect(answer == failure(422) + "Parameter%20%27v%27%20must%20not%20begin%20with%20%27-%27.")
        expect(try record("operand?v=\(encoded)", answer: &answer), equals: ["--", value])
        // The end of the options of 'env' is not that of the program that it starts.
        expect(try record("started?v=\(encoded)", answer: &answer), equals: nil)
        expect(try record("started/operand?v=\(encoded)", answer: &answer), equals: ["--", value])
        expect(try record("prefixed?v=\(encoded)", answer: &answer), equals: ["--text=\(value)", "a\(value)b"])
        expect(try record("dashing?v=\(encoded)&w=x", answer: &answer), equals: ["\(value)x"])
        expect(try record("dashing?v=&w=\(encoded)", answer: &answer), equals: nil)
        expect(try record("two?v=&w=x", answer: &answer), equals: nil)
        expect(try record("two?v=x&w=\(encoded)", answer: &answer), equals: ["x-\(value)"])
    }

    static let paths = ["a", "a/b", "..a", "a..", "...", ".", ""]
    static let strayPaths = ["/", "/etc/passwd", "..", "../x", "a/../b", "a/..", "//"]

    @Test(arguments: paths)
    func aPathBelowAFolderIsFine(value: String) throws {
        var answer: String?
        expect(try record("path?v=\(value.percentEncoded)", answer: &answer), equals: ["/srv/\(value)"])
    }

    @Test(arguments: strayPaths)
    func aPathThatLeavesItsFolderIsRefused(value: String) throws {
        var answer: String?
        expect(try record("path?v=\(value.percentEncoded)", answer: &answer), equals: nil)
        #expect(answer?.hasPrefix(failure(422) + "Parameter%20%27v%27%20must%20not%20begin%20with") == true)
        #expect(try record("list/a/\(value.percentEncoded)?w=x", answer: &answer)?.last != "/srv/a/../b")
    }

    @Test func twoValuesCannotMakeAWayOutTogether() throws {
        var answer: String?
        for (first, second) in [(".", "."), ("", ".."), ("", "/etc"), ("x/.", "./y")] {
            expect(try record("path?v=\(first)&w=\(second)", answer: &answer), equals: nil)
        }
        expect(try record("path?v=a.&w=.b", answer: &answer), equals: ["/srv/a..b"])
        for (first, second) in [(".", ""), ("./x", ""), ("", "./x"), ("x/..", "")] {
            expect(try record("dotted?v=\(first)&w=\(second)", answer: &answer), equals: nil)
        }
        expect(try record("dotted?v=.a&w=/b", answer: &answer), equals: ["/srv/..a/b"])
    }

    @Test func textBeforeAValueBelongsToTheSameSegment() throws {
        var answer: String?
        for value in ["/../../etc", "/..", "a/../../b"] {
            expect(try record("beside?v=\(value)", answer: &answer), equals: nil)
            #expect(answer?.hasPrefix(failure(422)) == true)
        }
        for value in ["", "..", "/y", "a/b"] {
            let arguments = ["--dir=/srv/x\(value)", "https://a.example/?q=\(value)"]
            expect(try record("beside?v=\(value)", answer: &answer), equals: arguments)
        }
    }

    @Test func aNegativeNumberBehindADashIsRefused() throws {
        var answer: String?
        expect(try record("number?v=5", answer: &answer), equals: ["-5", "-n5"])
        expect(try record("number?v=-5", answer: &answer), equals: nil)
        #expect(answer == failure(422) + "Parameter%20%27v%27%20must%20not%20begin%20with%20%27-%27.")
    }

    @Test func aListIsOneArgument() throws {
        var answer: String?
        expect(try record("list/a/b%20c?w=1,2%2C3", answer: &answer), equals: ["a/b c", "1/2,3", "/srv/a/b c"])
        expect(try record("list/a?w", answer: &answer), equals: ["a", "", "/srv/a"])
        expect(try record("list/a/%2Fx%2F..?w=1", answer: &answer), equals: nil)
    }

    @Test func aValueThatNoProgramCanTakeIsRefusedByName() throws {
        var answer: String?
        let fits = String(repeating: "x", count: 131_071 - "XCALLBACK_URL=run:/plain?v=".utf8.count)
        expect(try record("plain?v=\(fits)", answer: &answer), equals: [fits])
        expect(try record("plain?v=\(fits)x", answer: &answer), equals: nil)
        #expect(answer?.hasPrefix(failure(413) + "The%20URL%20is%20too%20long") == true)
        expect(try record("plain?v=\(fits)xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", answer: &answer), equals: nil)
        #expect(answer?.hasPrefix(failure(413) + "Parameter%20%27v%27%20is%20too%20long") == true)
        expect(try record("plain?v=%00", answer: &answer), equals: nil)
        #expect(answer?.hasPrefix(failure(400)) == true)
    }
}
