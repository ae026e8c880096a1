/// The client's side of a conversation: it writes calls and reads their replies, in order.
///
/// Any number of calls can be written before the first reply is read.
package struct VarlinkClientSession: Sendable {
    /// The next step of a conversation.
    package enum Step: Hashable, Sendable {
        /// A reply; the next one starts at the position.
        case reply(VarlinkReply, next: Int)
        /// No complete message; all input before the position is consumed.
        case needsInput(from: Int)
        /// The conversation is over: the connection must be closed.
        case close(VarlinkFault)
    }

    private var frames: FrameReader
    private var message = JSONDocument()
    /// The calls without a last reply, in order.
    private var open: [VarlinkCall.Mode] = []
    /// The number of the first call in ``open``.
    private var firstNumber = 0

    /// Starts a conversation.
    ///
    /// - Parameter limit: The maximum size of a server message, in bytes; a reply can be much larger than its call.
    package init(limit: Int = 64 << 20) {
        frames = FrameReader(limit: limit)
    }

    /// The number of calls without a last reply.
    package var openCount: Int { open.count }

    /// Writes a call.
    ///
    /// - Parameters:
    ///   - method: The method name, including the interface.
    ///   - parameters: An object that matches the method's description.
    ///   - mode: The number of replies to request.
    ///   - output: The buffer for the call.
    /// - Returns: The number of the call, as in its replies; nil if it gets no reply.
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
    ///   - input: All received input that is not consumed.
    ///   - start: The position at which to start.
    /// - Returns: The next step.
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
        do throws(JSONError) { try message.read(text) } catch { throw .notJSON(error) }
        guard let mode = open.first else { throw .unexpectedReply }
        let reply = try VarlinkReply(message, to: firstNumber)
        if reply.continues {
            guard mode == .more else { throw .unexpectedContinuation }
        } else {
            open.removeFirst()
            firstNumber += 1
        }
        return reply
    }
}
