/// The server's side of a conversation: it reads calls and writes replies, one at a time.
///
/// It stores no input. The owner of the input calls ``next(in:from:of:_:into:)`` repeatedly; a call must be answered before
/// the next one is read, however long that takes: until then the session waits.
///
///     switch session.next(in: input, from: position, of: service, &message, into: &output) {
///     case .call(let call, let next):
///         position = next
///         session.finish(with: ["pong": .string("hi")], into: &output)
///     …
///     }
package struct VarlinkServerSession: Sendable {
    /// The next step of a conversation.
    package enum Step: Hashable, Sendable {
        /// A call, which must be finished before the next one; the next call starts at the position.
        case call(VarlinkCall, next: Int)
        /// A call that the session has answered itself; the next call starts at the position.
        case answered(next: Int)
        /// No complete message; all input before the position is consumed.
        case needsInput(from: Int)
        /// A call is not finished.
        case waits
        /// The conversation is over: the connection must be closed.
        case close(VarlinkFault)
    }

    private var frames: FrameReader
    private let valueLimit: Int
    /// The mode of the call that is being answered; nil without one.
    private var mode: VarlinkCall.Mode?

    /// Starts a conversation.
    ///
    /// - Parameters:
    ///   - limit: The maximum size of a client message, in bytes.
    ///   - valueLimit: The maximum number of names and values in a message: reading more would take too long for one turn.
    package init(limit: Int = FrameReader.defaultLimit, valueLimit: Int = 32_768) {
        frames = FrameReader(limit: limit)
        self.valueLimit = valueLimit
    }

    /// Whether a call is not finished.
    package var isBusy: Bool { mode != nil }
    /// Whether the call accepts more than one reply.
    package var acceptsMore: Bool { mode == .more }

    /// Reads the next call.
    ///
    /// The session itself answers calls of `org.varlink.service` and of unknown methods.
    ///
    /// - Parameters:
    ///   - input: All received input that is not consumed.
    ///   - start: The position at which to start.
    ///   - service: The service.
    ///   - message: Memory that is reused for each call.
    ///   - output: The buffer for replies.
    /// - Returns: The next step.
    package mutating func next(
        in input: Span<UInt8>, from start: Int, of service: VarlinkService, _ message: inout JSONDocument,
        into output: inout ByteBuffer
    ) -> Step {
        if isBusy { return .waits }
        switch frames.next(in: input, from: start) {
        case .tooLong: return .close(.tooLong(limit: frames.limit))
        case .incomplete(let position): return .needsInput(from: position)
        case .frame(let frame, let next):
            do throws(VarlinkFault) {
                do throws(JSONError) {
                    try message.read(input.extracting(frame), maximumCount: valueLimit)
                } catch {
                    throw .notJSON(error)
                }
                guard let call = try begin(message, of: service, into: &output) else { return .answered(next: next) }
                return .call(call, next: next)
            } catch {
                return .close(error)
            }
        }
    }

    /// Begins the call of a message; nil if it is already answered.
    private mutating func begin(
        _ message: JSONDocument, of service: VarlinkService, into output: inout ByteBuffer
    ) throws(VarlinkFault) -> VarlinkCall? {
        let header = try CallHeader(message)
        mode = header.mode
        let name = message.bytes.span.extracting(message[header.method].range)
        do throws(VarlinkError) {
            if let number = header.parameters, message[number].kind != .object {
                throw .invalidParameter("parameters")
            }
            // The service does not support taking over connections.
            if header.isUpgrade { throw .methodNotImplemented(String(utf8: name)) }
            guard let method = service.method(named: name) else {
                let parameters = VarlinkObject(message, header.parameters)
                finish(with: try service.reply(to: String(utf8: name), parameters), into: &output)
                return nil
            }
            if service.methods[method].requiresMore, header.mode != .more { throw .expectedMore }
            return VarlinkCall(method: method, mode: header.mode, parameters: header.parameters)
        } catch {
            finish(with: error, into: &output)
            return nil
        }
    }
}

// MARK: - Replies

extension VarlinkServerSession {
    /// Writes the last reply to the call.
    ///
    /// - Parameters:
    ///   - parameters: An object that matches the method's description.
    ///   - output: The buffer for the reply.
    package mutating func finish(with parameters: JSONValue = [:], into output: inout ByteBuffer) {
        guard takeMode() != .oneway else { return }
        output.append("{\"parameters\":")
        output.append(parameters.bytes.span)
        output.append("}\0")
    }

    /// Starts the last reply to the call; the caller appends the parameters.
    ///
    /// - Parameter output: The buffer for the reply.
    /// - Returns: The start of the reply, for ``finishReply(from:into:)``.
    package func beginReply(into output: inout ByteBuffer) -> Int {
        let start = output.count
        output.append("{\"parameters\":")
        return start
    }

    /// Completes a reply of ``beginReply(into:)``; removes it if the call requests no reply.
    package mutating func finishReply(from start: Int, into output: inout ByteBuffer) {
        if takeMode() == .oneway { output.truncate(to: start) } else { output.append("}\0") }
    }

    /// Writes an error, which ends the call.
    package mutating func finish(with error: VarlinkError, into output: inout ByteBuffer) {
        guard takeMode() != .oneway else { return }
        var members: [JSONValue.Member] = [.init("error", .string(error.name))]
        if !error.parameters.isEmpty { members.append(.init("parameters", .object(error.parameters))) }
        output.append(JSONValue.object(members).bytes.span)
        output.append(UInt8(0))
    }

    /// Writes an error in place of the reply to an unreadable message, after which the connection must be closed.
    package mutating func refuseMessage(with error: VarlinkError, into output: inout ByteBuffer) {
        mode = .once
        finish(with: error, into: &output)
    }

    /// Writes a reply that is not the last one, to a call that accepts more.
    ///
    /// - Parameters:
    ///   - parameters: An object that matches the method's description.
    ///   - output: The buffer for the reply.
    package func `continue`(with parameters: JSONValue, into output: inout ByteBuffer) {
        `continue`(withText: parameters.bytes.span, into: &output)
    }

    /// Writes a reply that is not the last one, to a call that accepts more.
    ///
    /// - Parameters:
    ///   - text: An object that matches the method's description, as JSON.
    ///   - output: The buffer for the reply.
    package func `continue`(withText text: Span<UInt8>, into output: inout ByteBuffer) {
        precondition(acceptsMore, "a reply that others follow to a call that did not ask for more")
        output.append("{\"continues\":true,\"parameters\":")
        output.append(text)
        output.append("}\0")
    }

    /// Ends the call that is being answered.
    private mutating func takeMode() -> VarlinkCall.Mode {
        // Not reachable for any input: a reply always follows a call from `next` that is not finished.
        guard let mode else { preconditionFailure("a reply without a call") }
        self.mode = nil
        return mode
    }
}
