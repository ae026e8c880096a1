import Glibc
import Testing
import XCallbackCommands
import XCallbackTesting

/// What a question tells of where a request comes from.
struct AskerTests {
    private static func lines(_ variables: [String: String], input: String = "") -> [String] {
        let own = ["XCALLBACK_UID": "\(geteuid())"]
        let environment = own.merging(variables) { $1 }
        return Asker(environment: { environment[$0] }, input: { Array(input.utf8) }).lines
    }

    @Test func withoutARequestThereIsNothingToTell() {
        #expect(Self.lines(["XCALLBACK_SOURCE": "a"]) == [])
    }

    @Test func aPageIsNotAProgram() {
        let input = #"{"peer":{"pid":\#(getpid())}}"#
        let page = "A link or a web page asks for this."
        #expect(Self.lines(["XCALLBACK_ORIGIN": "desktop"], input: input) == [page])
        let lines = Self.lines(["XCALLBACK_ORIGIN": "desktop", "XCALLBACK_SOURCE": "a\nb"])
        #expect(lines == [page, "The sender calls itself “\u{2066}a⏎\u{2069}", "↳ b”."])
        let redirect = "A redirect leads to this, perhaps from a web page."
        #expect(Self.lines(["XCALLBACK_ORIGIN": "internal"], input: input) == [redirect])
    }

    @Test func anAssistantIsNamedWithWhatHasStartedIt() throws {
        let own = try RunningDaemon.ownProgram()
        func text(_ id: Int32) -> String {
            Self.lines(["XCALLBACK_ORIGIN": "agent"], input: #"{"peer":{"pid":\#(id)}}"#).joined()
                .replacing("↳ ", with: "")
        }
        // The asking command and 'xcallback mcp' are the same program.
        let bridge = text(getpid())
        #expect(bridge.hasPrefix("An assistant asks for this (xcallback mcp, started by “/"), "\(bridge)")
        let other = text(getppid())
        #expect(other.hasPrefix("An assistant asks for this (“/"), "\(other)")
        #expect(!other.contains(own.suffix(20)))
        #expect(text(0) == "An assistant asks for this.")
    }

    /// One that has started after this test has got its number from one that was there before.
    @Test func aProgramThatIsNotTheSenderIsNotNamed() throws {
        let process = try ChildProcess(["/bin/sleep", "600"])
        for id in [process.id, 0, -1, Int32.max] {
            let lines = Self.lines(["XCALLBACK_ORIGIN": "socket"], input: #"{"peer":{"pid":\#(id)}}"#)
            #expect(lines == ["A program asks for this."])
        }
    }

    @Test(arguments: ["", "{}", "[]", #"{"peer":{"pid":"1"}}"#, #"{"peer":{"pid":1e99}}"#])
    func whatIsNotReportedIsNotInvented(input: String) {
        #expect(Self.lines(["XCALLBACK_ORIGIN": "socket"], input: input) == ["A program asks for this."])
        let other = Self.lines(["XCALLBACK_ORIGIN": "socket", "XCALLBACK_UID": "4000000000"], input: input)
        #expect(other == ["A program of user 4000000000 asks for this."])
    }
}
