import TestSupport
import Testing
import XCallbackTesting

/// From a client's bytes to lines, and from lines to answers.
@Suite(.blocking)
struct LineTests {
    private let daemon: RunningDaemon
    private let client: LineClient

    init() throws {
        daemon = try RunningDaemon(RunningDaemon.echoConfiguration)
        client = try daemon.connect()
    }

    @Test
    func aLineWithoutEndIsRefusedBeforeItEnds() throws {
        try client.send(Array(repeating: UInt8(ascii: "a"), count: 70_000))
        expect(try client.readLine()) { $0?.contains("errorCode=413&") == true }
        expect(try client.readLine(), equals: nil)
    }

    static let foreign = [
        "notes:/echo?v=a b", "notes:/echo?v=\u{1}", "notes:/echo?v=\u{7f}", "notes:/echo?v=1\t", "notes:/echo?v=\0",
        "no scheme here", "noscheme", "no_tes:/echo", "GET notes:/echo HTTP/1.1\r\nHost: notes:/echo",
        "POST /notes HTTP/1.1\r\nContent-Length: 18\r\n\r\nnotes:/echo?v=1\r\n\r\n",
    ]

    @Test(arguments: foreign)
    func whatIsNoURLEndsTheConnectionAfterOneError(line: String) throws {
        try client.send("\(line)\nnotes:/echo?v=2\nnotes:/echo?v=3\n")
        expect(try client.readLine()) { $0?.hasPrefix("xcallback://x-callback-url/error?errorCode=400&") == true }
        expect(try client.readLine(), equals: nil)
    }

    @Test(arguments: ["1notes:/echo", "/echo", "\u{0}", "é:/echo", "[", "  \n /", "-"])
    func whatBeginsWithNoLetterIsClosedWithoutALine(text: String) throws {
        try client.send("\(text)\nnotes:/echo?v=1\n")
        expect(try client.readToEnd()) { $0.isEmpty }
    }

    @Test
    func anAnswerIsOneLineWhateverTheRequestHolds() throws {
        try client.send("notes:/echo?v=%0A%0Dnotes:%2Fecho%20%7F&x-success=app:done%23a%0Ab\n")
        try client.send("notes:/echo?v=%0A%0Dnotes:%2Fecho%20%7F&x-success=app:done%23a\n")
        client.endSending()
        let answers = try client.readToEnd()
        #expect(answers.count == 2)
        #expect(answers.first?.contains("errorCode=400&") == true)
        #expect(answers.last == "app:done?v=%0A%0Dnotes%3A%2Fecho%20%7F#a")
    }
}
