import Dispatch
import Glibc
import Logging
import Testing
import XCallbackDaemon
import XCallbackTesting

struct LineOutputTests {
    @Test(.timeLimit(.minutes(10)))
    func linesThatFindNoRoomAreDroppedAndCounted() throws {
        let pipe = try Pipe()
        let handler = handler(pipe.writing)
        let long = String(repeating: "x", count: 5_000)
        for _ in 0..<100 { handler.log(event: event(long)) }
        let kept = pipe.drain().count { $0 == "\n" }
        #expect((1..<100).contains(kept))

        handler.log(event: event("again"))
        #expect(pipe.drain() == "<4>\(100 - kept) log lines were lost: standard error accepted no more\n<6>again\n")
        handler.log(event: event("and again"))
        #expect(pipe.drain() == "<6>and again\n")
    }

    @Test(.timeLimit(.minutes(10)))
    func whoWaitsForRoomLosesNothing() throws {
        let pipe = try Pipe()
        let output = LineOutput(descriptor: pipe.writing, format: .journal)
        output.waitsForRoom = true
        let line = String(repeating: "x", count: 99)
        let text = String(repeating: line + "\n", count: 10_000)
        let writer = DispatchGroup()
        writer.enter()
        runOnThread {
            output.write(level: .error, text: text)
            writer.leave()
        }
        // Nothing is read before the pipe is full.
        while pipe.hasRoom, writer.wait(timeout: .now()) == .timedOut { sched_yield() }
        var read = ""
        while writer.wait(timeout: .now()) == .timedOut { read += pipe.drain() }
        read += pipe.drain()
        #expect(read.split(separator: "\n").count { $0 == "<3>" + line } == 10_000)
    }

    @Test(.timeLimit(.minutes(10)))
    func aReaderThatIsGoneDoesNotEndTheProcess() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let pipe = try Pipe()
            pipe.endReading()
            let output = LineOutput(descriptor: pipe.writing, format: .journal)
            StandardErrorLogHandler(output: output).log(event: LineOutputTests.event("unseen"))
        }
    }

    static let texts: [(LogLineFormat, String)] = [
        (.plain, "a.yaml:1:1: no\n  1 | b\n\n1 fault\n"),
        (.journal, "<3>a.yaml:1:1: no\n<3>  1 | b\n<3>\n<3>1 fault\n"),
    ]

    @Test(.timeLimit(.minutes(10)), arguments: texts)
    func aTextStaysAsItIsAndHasItsPriorityInTheJournal(format: LogLineFormat, written: String) throws {
        for end in ["", "\n"] {
            let pipe = try Pipe()
            LineOutput(descriptor: pipe.writing, format: format)
                .write(level: .error, text: "a.yaml:1:1: no\n  1 | b\n\n1 fault\(end)")
            #expect(pipe.drain() == written)
        }
    }

    private func handler(_ descriptor: Int32) -> StandardErrorLogHandler {
        StandardErrorLogHandler(output: LineOutput(descriptor: descriptor, format: .journal))
    }

    private func event(_ text: String) -> LogEvent { Self.event(text) }

    static func event(_ text: String) -> LogEvent {
        LogEvent(level: .info, message: "\(text)", metadata: nil, source: nil, file: "", function: "", line: 0)
    }
}
