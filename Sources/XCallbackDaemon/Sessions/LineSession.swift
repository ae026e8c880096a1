import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackRouter
import XCallbackWire

/// A conversation in lines: each input line is a URL, and each output line is a URL.
final class LineSession: ClientSession {
    private var lines: LineDialect

    override init(_ client: ClientContext, _ account: Account) {
        lines = LineDialect(limit: client.service.processor.limits.line)
        super.init(client, account)
        // The history keeps what assistants do, in every dialect.
        if origin == .agent { recorded = RecordedCall() }
    }

    override func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        let call = recorded
        if isWaiting {
            guard let finished = takeFinished(on: loop) else { return Progress(consumed: 0, need: .event) }
            processor.write(finished.answer, waited: finished.waited, in: call, into: &output, on: loop)
            output.append(UInt8(ascii: "\n"))
        }
        // A local value, because each access to a class property is checked for exclusivity.
        var lines = lines
        defer { self.lines = lines }
        let outcome = processor.answer(
            input, isAtEnd: isAtEnd, &lines, loop.beginTurn(), from: client, in: call, into: &output, on: loop)
        switch consume outcome {
        case .needsInput(let position): return Progress(consumed: position, need: .input)
        case .needsTurn(let position): return Progress(consumed: position, need: .turn)
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

/// Splits the input of a client into lines: one URL per line, ended by LF or CR LF.
package struct LineDialect {
    /// The input at a position.
    package enum Item: Hashable {
        /// A line without its end, and the start of the next one.
        case line(Range<Int>, next: Int)
        /// No complete line; everything before the position is processed.
        case incomplete(from: Int)
        /// A line that exceeds the limit.
        case tooLong
    }

    /// The maximum length of a line in bytes, without its end.
    package let limit: Int
    /// The number of bytes of the incomplete line that were already searched for a line feed.
    private var searchedCount = 0

    /// Creates a dialect with a line limit.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Finds the next line that is not empty.
    ///
    /// - Parameters:
    ///   - input: All received bytes that are not consumed.
    ///   - start: The position to start at.
    ///   - isAtEnd: Whether the input is complete, so that the last line needs no line feed.
    /// - Returns: The result.
    package mutating func next(in input: Span<UInt8>, from start: Int, isAtEnd: Bool) -> Item {
        var start = start
        while true {
            guard let end = indexOf(UInt8(ascii: "\n"), in: input, from: start + searchedCount) else {
                // One byte above the limit can be the CR before an LF.
                if input.count - start > limit + 1 { return .tooLong }
                searchedCount = input.count - start
                guard isAtEnd, start < input.count else { return .incomplete(from: start) }
                searchedCount = 0
                return line(start..<input.count, in: input, next: input.count) ?? .incomplete(from: input.count)
            }
            searchedCount = 0
            if let item = line(start..<end, in: input, next: end + 1) { return item }
            start = end + 1
        }
    }

    /// Returns the line in a range; nil if it is empty.
    private func line(_ range: Range<Int>, in input: Span<UInt8>, next: Int) -> Item? {
        var end = range.upperBound
        if end > range.lowerBound, input[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        if end == range.lowerBound { return nil }
        return end - range.lowerBound > limit ? .tooLong : .line(range.lowerBound..<end, next: next)
    }
}
