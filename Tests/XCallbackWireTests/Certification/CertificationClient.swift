import XCallbackTesting
import XCallbackWire

/// A client of `org.varlink.certification`.
final class CertificationClient {
    private let socket: ByteSocket
    private var session = VarlinkClientSession()
    private var input: [UInt8] = []

    init(_ path: String) throws {
        socket = try ByteSocket.connect(to: path)
    }

    /// Calls all methods in their order, each with what the one before it has given.
    ///
    /// - Returns: Whether the server is content.
    func run() throws -> Bool {
        guard let client = try call("Start", [:])["client_id"] else { return false }
        var given: JSONValue = [:]
        for method in CertificationInterface.tests {
            let parameters = given.adding("client_id", client)
            switch method {
            case "Test10":
                let replies = try stream(method, parameters)
                given = ["last_more_replies": .array(replies.compactMap { $0["string"] })]
            case "Test11": try callOneway(method, parameters)
            default: given = try Self.declared(call(method, parameters))
            }
        }
        return try call("End", ["client_id": client])["all_ok"] == .bool(true)
    }

    /// What the next call can be given: a client ignores what the interface does not declare.
    private static func declared(_ reply: JSONValue) -> JSONValue {
        guard case .object(let members) = reply else { return reply }
        return .object(members.filter { $0.name != "client_id" })
    }

    /// Calls a method and waits for its reply.
    func call(_ method: String, _ parameters: JSONValue) throws -> JSONValue {
        var output: [UInt8] = []
        session.call("\(CertificationInterface.name).\(method)", parameters, into: &output)
        try socket.send(output)
        return try nextReply().result.get()
    }

    private func callOneway(_ method: String, _ parameters: JSONValue) throws {
        var output: [UInt8] = []
        session.call("\(CertificationInterface.name).\(method)", parameters, mode: .oneway, into: &output)
        try socket.send(output)
    }

    private func stream(_ method: String, _ parameters: JSONValue) throws -> [JSONValue] {
        var output: [UInt8] = []
        session.call("\(CertificationInterface.name).\(method)", parameters, mode: .more, into: &output)
        try socket.send(output)
        var replies: [JSONValue] = []
        while true {
            let reply = try nextReply()
            replies.append(try reply.result.get())
            if !reply.continues { return replies }
        }
    }

    private func nextReply() throws -> VarlinkReply {
        while true {
            switch session.next(in: input.span, from: 0) {
            case .reply(let reply, let next):
                input.removeFirst(next)
                return reply
            case .needsInput:
                guard try socket.receive(into: &input) else { throw TestFailure("the server has hung up") }
            case .close(let fault): throw fault
            }
        }
    }
}
