import Glibc
import Testing
import XCallbackCommands
import XCallbackTesting

struct ExampleTests {
    private static let folders = UserFolders(configurationHome: "/c", dataHome: "/data", stateHome: "/state")

    @Test func anExampleWithOtherFilesIsAFolder() throws {
        let text = "schemes: [a]\n"
        #expect(Example(name: "a", text: text).files(in: Self.folders).map(\.path) == ["/c/xcallbackd/routes.d/a.yaml"])
        let directory = try TemporaryDirectory()
        for file in ["a.yaml", "lib/b", ".git/config"] { try directory.write(text, to: file) }
        chmod(directory.path(of: "lib/b"), 0o777)
        let files = try Example(in: ActionFolder(directory.path)).files(in: Self.folders)
        #expect(files.map(\.path) == ["/c/xcallbackd/routes.d/a/a.yaml", "/c/xcallbackd/routes.d/a/lib/b"])
        #expect(files.map(\.isProgram) == [false, true])
    }

    static let switches: [(text: String, expected: String?)] = [
        ("route: a:/b\n  public: true  # é\r\n  agent: a_b\n", "route: a:/b\n  public: false  # é\r\n  agent: false\n"),
        (
            "{ route: a:/b, title: é true, public: TRUE, agent: true }\n",
            "{ route: a:/b, title: é true, public: false, agent: false }\n"
        ),
        ("route: a:/b\n  public: false\n  input: { public: { default: true }, agent: string }\n", nil),
        (
            "route: a:/b\n  policies: [{ confirm: { exec: [a], allow-code: true } }]\n",
            "route: a:/b\n  policies: [{ confirm: { exec: [a], allow-code: false } }]\n"
        ),
    ]

    @Test(arguments: switches)
    func whatIsNotAllowedIsSwitchedOffWhereItStands(text: String, expected: String?) throws {
        let start = "schemes: [a]\nroutes:\n- "
        let off = try "\(start)\(text)".switchingOff(["public", "agent", "allow-code"])
        #expect(off == start + (expected ?? text))
    }

    @Test(arguments: ["public: !!bool true", "public: &on true", "agent: \"a\\x62\"", "agent: 'a'"])
    func whatIsWrittenInAnOddWayIsRefused(member: String) {
        #expect(throws: Failure.self) { try "routes: [{ route: a:/b, \(member) }]".switchingOff(["public", "agent"]) }
    }
}
