import Synchronization
import Testing
import XCallbackRouter

struct RequestProgressTests {
    static let lines: [(line: String, progress: RequestProgress, text: String)] = [
        ("[3/10] copying", RequestProgress("copying", done: 3, of: 10), "3 of 10: copying"),
        ("[10/10]", RequestProgress("", done: 10, of: 10), "10 of 10"),
        ("30% of it", RequestProgress("of it", done: 30, of: 100), "30 %: of it"),
        ("42%", RequestProgress("", done: 42, of: 100), "42 %"),
        ("copying a b", RequestProgress("copying a b"), "copying a b"),
        ("96 12.0M   96\t11.5M  ", RequestProgress("96 12.0M 96 11.5M"), "96 12.0M 96 11.5M"),
        ("[1/2]  half", RequestProgress("half", done: 1, of: 2), "1 of 2: half"),
        ("[11/10] more", RequestProgress("[11/10] more"), "[11/10] more"),
        ("[-1/10] less", RequestProgress("[-1/10] less"), "[-1/10] less"),
        ("[1/2/3] a", RequestProgress("[1/2/3] a"), "[1/2/3] a"), ("[1/x] a", RequestProgress("[1/x] a"), "[1/x] a"),
        ("[3/x/10] y", RequestProgress("[3/x/10] y"), "[3/x/10] y"),
        ("[0/0] a", RequestProgress("[0/0] a"), "[0/0] a"), ("101% a", RequestProgress("101% a"), "101% a"),
        ("% a", RequestProgress("% a"), "% a"),
        ("[99999999999999999999/1] a", RequestProgress("[99999999999999999999/1] a"), "[99999999999999999999/1] a"),
    ]

    @Test(arguments: lines)
    func aLineSaysHowFar(line: String, progress: RequestProgress, text: String) {
        #expect(RequestProgress(line: line.utf8) == progress)
        #expect(progress.description == text)
    }

    @Test func aRequestReportsToItsReceiver() {
        let receiver = KeptProgress()
        var request = Request(peer: Peer(userID: 1000, groupID: 1000, processID: 1), origin: .socket)
        request.progress("nobody hears this")
        request.progressReceiver = receiver
        request.progress("copying", done: 3, of: 10)
        #expect(receiver.received == [RequestProgress("copying", done: 3, of: 10)])
    }
}

private final class KeptProgress: ProgressReceiver {
    private let kept = Mutex<[RequestProgress]>([])
    var received: [RequestProgress] { kept.withLock { $0 } }

    func receive(_ progress: RequestProgress) { kept.withLock { $0.append(progress) } }
}
