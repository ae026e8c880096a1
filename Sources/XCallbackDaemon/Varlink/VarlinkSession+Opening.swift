import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

// Requests that calls open, and followed answers.
extension VarlinkSession {
    /// Opens the URL of a call as a request.
    func open(
        _ parameters: VarlinkObject, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) throws(VarlinkError) {
        let url = try parameters.required("url").range()
        let origin = origin(declared: try parameters.origin())
        let follows = try parameters.optional("follow")?.truth() ?? false
        let route = try parameters.optional("route")?.text()
        let source = try parameters.optional("source")?.text()
        let caller = try parameters.optional("caller")?.text()
        recorded = caller != nil || origin.isForeign ? RecordedCall(caller: caller?.cut(to: 200)) : nil
        if origin != self.origin, origin.isForeign {
            do throws(Excess) {
                try move(to: origin.accountClass, on: loop)
            } catch {
                return reply(refusing: CallbackError(.tooMany, error.description), into: &output)
            }
        }
        // The previous call has left `followed` nil.
        if follows { followed = FollowedAnswer(origin: origin) }
        open(parameters.bytes.span.extracting(url), origin, by: route, named: source, into: &output, on: loop)
    }

    /// Returns the origin of the requests of a call, which can declare one, unless its socket determines it.
    func origin(declared: Origin?) -> Origin {
        switch declared {
        case .desktop?: origin == .agent ? .agent : .desktop
        case .agent?: .agent
        case .socket?, .internal?, nil: origin
        }
    }

    /// Opens a URL as a request, and replies to the call unless the request waits.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - origin: The origin of the URL.
    ///   - id: The ID of the preceding request in the call; nil if there is none.
    ///   - route: The identity of the only route that may answer; nil if every route may.
    ///   - source: The name that the client gives itself; nil for none.
    ///   - hasSecrets: Whether it comes from an answer with a value that no history and no log may have.
    ///   - output: The buffer to append to.
    ///   - loop: The event loop.
    func open(
        _ url: Span<UInt8>, _ origin: Origin, as id: RequestID? = nil, by route: String? = nil,
        named source: String? = nil, hasSecrets: Bool = false, into output: inout ByteBuffer,
        on loop: isolated EventLoop
    ) {
        switch processor.open(
            url, as: id, from: peer, origin: origin, at: loop.batchTime, by: route, named: source,
            hasSecrets: hasSecrets)
        {
        case .waits(let answer):
            replySource = .request
            wait(answer, on: loop)
        case .refused(let error): reply(refusing: error, into: &output)
        case .ended(let answer):
            follow(
                processor.reply(answer, waited: nil, in: recorded, on: loop), into: &output, on: loop)
        }
    }

    /// Continues a request that waited; false if it still waits.
    func finishOpen(into output: inout ByteBuffer, on loop: isolated EventLoop) -> Bool {
        guard let finished = takeFinished(on: loop) else { return false }
        follow(
            processor.reply(finished.answer, waited: finished.waited, in: recorded, on: loop), into: &output, on: loop)
        if case .none = replySource { return true }
        return false
    }

    /// Replies to the call whose request has ended, or continues with the next request if the call follows the answer.
    func follow(_ reply: OpenReply, into output: inout ByteBuffer, on loop: isolated EventLoop) {
        replySource = .none
        do throws(CallbackError) {
            if let url = try followed?.next(after: reply, processor.pipeline), let origin = followed?.origin {
                recorded?.isFollowUp = true
                return open(
                    url.span, origin, as: reply.id, hasSecrets: reply.hasSecrets, into: &output, on: loop)
            }
        } catch {
            return self.reply(refusing: error, of: reply.id, into: &output)
        }
        let result = followed.take()?.result(after: reply) ?? reply
        guard service.served.knowsFiles, peer.hasFullAccess, origin != .agent, result.concernsConfiguration else {
            return write(result, into: &output)
        }
        checkFiles(on: loop) { areChanged in
            var (result, bytes) = (result, ByteBuffer())
            if areChanged { result.cause = [result.cause, Self.changeNote].compactMap(\.self).joined(separator: "; ") }
            bytes.append(result)
            return .success(bytes.contents)
        }
    }

    /// Ends a waiting request, whose client gets a cancel.
    func cancel(_ parameters: VarlinkObject, on loop: isolated EventLoop) throws(VarlinkError) {
        let id = try parameters.required("id").text()
        guard let request = service.awaited(by: peer, on: loop).first(where: { $0.json["id"]?.text == id }) else {
            throw VarlinkError(ofRouter: "NotWaiting")
        }
        request.session.interrupt(with: .cancel, on: loop)
        reply([:])
    }

    private static let changeNote = "the files have changed since they were loaded: run 'xcallback reload'"

    /// Replies to the call that the request is rejected.
    private func reply(refusing error: CallbackError, of id: RequestID? = nil, into output: inout ByteBuffer) {
        replySource = .none
        var answer = ByteBuffer()
        answer.append(refusal: error)
        let refusal = OpenReply(
            response: .error(error), isHandled: false, answer: answer.contents, hasExplicitTarget: false, id: id)
        write(followed.take()?.reply ?? refusal, into: &output)
    }

    private func write(_ reply: OpenReply, into output: inout ByteBuffer) {
        let start = conversation.beginReply(into: &output)
        output.append(reply)
        conversation.finishReply(from: start, into: &output)
    }
}
