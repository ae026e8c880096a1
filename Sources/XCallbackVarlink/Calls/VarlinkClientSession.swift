package import XCallbackJSON

/// The client's side of a conversation: it writes calls and reads the replies to them, in their order.
///
/// Any number of calls may be written before the first reply is read.
package struct VarlinkClientSession: Sendable {
    /// What comes next in a conversation.
    package enum Step: Hashable, Sendable {
        /// A reply; the one after it begins at the position.
        case reply(VarlinkReply, next: Int)
        /// Nothing that is whole; everything before the position is done with.
        case needsInput(from: Int)
        /// Nothing any more: the connection has to be closed.
        case close(VarlinkFault)
    }

    private var frames: FrameReader
    private var layout = JSONLayout()
    /// The calls that have no last reply yet, in their order.
    private var open: [VarlinkCall.Mode] = []
    /// The number of the first of ``open``.
    private var firstNumber = 0

    /// Begins a conversation.
    ///
    /// - Parameter limit: How many bytes a message of the server may have; a reply may be many times as long as its call.
    package init(limit: Int = 64 << 20) {
        frames = FrameReader(limit: limit)
    }

    /// How many calls have no last reply yet.
    package var openCount: Int { open.count }

    /// Writes a call.
    ///
    /// - Parameters:
    ///   - method: The name with that of the interface.
    ///   - parameters: An object of what the method's description says.
    ///   - mode: How many replies are wanted.
    ///   - output: Where the call is appended.
    /// - Returns: The number that its replies have; nil if it gets none.
    @discardableResult
    package mutating func call(
        _ method: String, _ parameters: JSONValue = [:], mode: VarlinkCall.Mode = .once, into output: inout [UInt8]
    ) -> Int? {
        output.append("{\"method\":")
        output.append(json: method)
        switch mode {
        case .once: break
        case .more: output.append(",\"more\":true")
        case .oneway: output.append(",\"oneway\":true")
        }
        if parameters != [:] {
            output.append(",\"parameters\":")
            parameters.write(to: &output)
        }
        output.append("}\0")
        guard mode != .oneway else { return nil }
        open.append(mode)
        return firstNumber + open.count - 1
    }

    /// Reads the next reply.
    ///
    /// - Parameters:
    ///   - input: All that was received and not consumed.
    ///   - start: Where to begin.
    /// - Returns: What was there.
    package mutating func next(in input: Span<UInt8>, from start: Int) -> Step {
        switch frames.next(in: input, from: start) {
        case .tooLong: return .close(.tooLong(limit: frames.limit))
        case .incomplete(let position): return .needsInput(from: position)
        case .frame(let frame, let next):
            do throws(VarlinkFault) {
                return .reply(try read(input.extracting(frame)), next: next)
            } catch {
                return .close(error)
            }
        }
    }

    private mutating func read(_ text: Span<UInt8>) throws(VarlinkFault) -> VarlinkReply {
        do throws(JSONError) { try layout.read(text) } catch { throw .notJSON(error) }
        guard let mode = open.first else { throw .unexpectedReply }
        let reply = try VarlinkReply(layout, in: text, to: firstNumber)
        if reply.continues {
            guard mode == .more else { throw .unexpectedContinuation }
        } else {
            open.removeFirst()
            firstNumber += 1
        }
        return reply
    }
}
