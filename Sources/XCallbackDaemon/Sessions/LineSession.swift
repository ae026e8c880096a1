import XCallbackBuiltIns
import XCallbackBytes
import XCallbackEventLoop

/// A conversation in lines: each input line is a URL, and each output line is a URL.
final class LineSession: ClientSession {
    private var lines: LineDialect

    override init(replacing other: ClientSession) {
        lines = LineDialect(limit: other.service.limits.line)
        super.init(replacing: other)
    }

    override func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        if waiting != nil {
            guard let finished = takeFinished(on: loop) else { return Progress(consumed: 0, need: .event) }
            service.answerer.takeBack(finished.held)
            let time = loop.now - finished.start
            service.answerer.write(finished.answer, waited: (finished.number, time), into: &output)
            output.append(UInt8(ascii: "\n"))
        }
        // A local value, because each access to a class property is checked for exclusivity.
        var lines = lines
        defer { self.lines = lines }
        let outcome = service.answerer.answer(
            input, isAtEnd: isAtEnd, &lines, loop.beginTurn(), peer, origin, at: loop.time, into: &output)
        service.noteActivity(on: loop)
        switch consume outcome {
        case .needsInput(let position): return Progress(consumed: position, need: .input)
        case .needsRoom(let position): return Progress(consumed: position, need: .room)
        case .ended: return Progress(consumed: input.count, need: .close)
        case .waits(let answer, let position):
            wait(answer, on: loop)
            return Progress(consumed: position, need: .event)
        }
    }

    override func refuse(_ fault: InputFault, on loop: isolated EventLoop) -> [UInt8] {
        _ = super.refuse(fault, on: loop)
        var line = ByteBuffer()
        line.append(refusal: fault.error)
        line.append(UInt8(ascii: "\n"))
        return Array(line.bytes.prefix(line.count))
    }
}
