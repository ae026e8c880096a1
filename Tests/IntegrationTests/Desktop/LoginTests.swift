import TestSupport
import Testing
import XCallbackTesting

/// The login of `Docs/HowTo/ReceiveInAScript.md` as it is written, with a service that answers in several ways.
@Suite(.blocking)
struct LoginTests {
    private static let page = "Docs/HowTo/ReceiveInAScript.md"

    static let answers: [(link: String, output: String, status: Int32)] = [
        ("?code=4%2F0A&state=$state", "The code is 4/0A\n", 0), ("#code=4%2F0A&state=$state", "The code is 4/0A\n", 0),
        ("?error=access_denied&state=$state", "xcallback: error=access_denied, state=", 1),
    ]

    @Test(arguments: answers)
    func theScriptGetsTheAnswer(link: String, output: String, status: Int32) throws {
        let daemon = try RunningDaemon(#require(DocumentExample.all(in: "yaml", of: Self.page).first).text)
        let script = try #require(DocumentExample.all(in: "sh", of: Self.page).first).text
        let site = try DesktopSite(socket: daemon.socket)
        try site.install(
            program: "xdg-open",
            script: """
                state=$(value "$1" state)
                # A link from elsewhere does not disturb.
                xcallback handle -- "com.example.app:/oauth2redirect?code=evil&state=0" 2>/dev/null &
                xcallback handle -- "com.example.app:/oauth2redirect\(link)" &
                """)
        let result = try site.run("sh", "-c", script)
        #expect(result.status == status && result.output.hasPrefix(output), "\(result.output)")
    }
}
