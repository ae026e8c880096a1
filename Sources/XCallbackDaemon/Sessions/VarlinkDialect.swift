import XCallbackJSON
import XCallbackVarlink

/// What a connection keeps that speaks Varlink: its conversation, and what the call waits for that is being answered.
final class VarlinkDialect {
    /// What the call waits for.
    enum Pending {
        /// Nothing: there is no such call.
        case nothing
        /// The request that it has opened.
        case request
        /// Something that the daemon does beside the loop.
        case job
        /// Only its turn: this is the reply.
        case reply(Result<JSONValue, VarlinkError>)
        /// What is to be told, again and again.
        case stream(ReplyStream)
        /// The answer of another application; kept elsewhere, as it is so large that others would be dear to look at.
        indirect case outgoingCall(OutgoingCall)
    }

    var conversation: VarlinkServerSession
    var pending = Pending.nothing
    /// What becomes of the answer to the request that the call has opened, if it asks for more than being told.
    var followed: FollowedAnswer?

    init(limit: Int) {
        conversation = VarlinkServerSession(limit: limit)
    }

    /// What the connection tells of, if its call asks for that.
    var stream: ReplyStream? {
        if case .stream(let stream) = pending { stream } else { nil }
    }

    /// Goes on with the call that is being answered, if there is one.
    ///
    /// - Parameters:
    ///   - replies: Where its replies are appended.
    ///   - limit: How many bytes there may be, and a reply, before the rest has to wait.
    /// - Returns: Whether it is answered, so that the next call can be read.
    func finish(into replies: inout [UInt8], limit: Int) -> Bool {
        switch pending {
        case .nothing: return true
        case .request, .job, .outgoingCall: return false
        case .reply(.success(let parameters)): conversation.finish(with: parameters, into: &replies)
        case .reply(.failure(let error)): conversation.finish(with: error, into: &replies)
        case .stream(let stream):
            stream.write(to: &replies, limit: limit, conversation)
            guard stream.isEmpty, let error = stream.ending else { return false }
            conversation.finish(with: error, into: &replies)
        }
        pending = .nothing
        return true
    }
}

/// Memory that serves the calls of all connections in turn.
final class CallBuffers {
    var replies: [UInt8] = []
    var layout = JSONLayout()
}
