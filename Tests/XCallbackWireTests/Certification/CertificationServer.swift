import Synchronization
import XCallbackTesting
import XCallbackWire

/// A server of `org.varlink.certification` on a socket.
struct CertificationServer {
    private let server: SocketServer

    /// Listens; clients can connect from now on.
    init(_ path: String) throws {
        let methods = CertificationInterface.methods.map { VarlinkService.Method($0, requiresMore: $0 == "Test10") }
        let service = VarlinkService(
            .init(vendor: "xcallbackd", product: "Certification", version: "1", url: "https://varlink.org"),
            interface: CertificationInterface.name, description: CertificationInterface.description, methods: methods)
        let clients = Clients()
        server = try SocketServer(path) { socket in try Self.serve(socket, service, clients) }
    }

    private static func serve(
        _ socket: borrowing ByteSocket, _ service: VarlinkService, _ clients: Clients
    ) throws {
        var session = VarlinkServerSession()
        var message = JSONDocument()
        var input: [UInt8] = []
        var output = ByteBuffer()
        while try socket.receive(into: &input) {
            var position = 0
            var isOver = false
            reading: while true {
                switch session.next(in: input.span, from: position, of: service, &message, into: &output) {
                case .call(let call, let next):
                    answer(call, try VarlinkObject(call, in: message).json(), clients, &session, into: &output)
                    position = next
                case .answered(let next): position = next
                case .needsInput(let start):
                    position = start
                    break reading
                case .waits, .close:
                    isOver = true
                    break reading
                }
            }
            input.removeFirst(position)
            try socket.send(output.contents)
            if isOver { return }
            output.truncate()
        }
    }

    private static func answer(
        _ call: VarlinkCall, _ parameters: JSONValue, _ clients: Clients, _ session: inout VarlinkServerSession,
        into output: inout ByteBuffer
    ) {
        do throws(VarlinkError) {
            let reply = try clients.answer(call, parameters)
            if call.mode == .more {
                for text in CertificationInterface.streamed.dropLast() {
                    session.continue(with: ["string": text], into: &output)
                }
            }
            session.finish(with: reply, into: &output)
        } catch {
            session.finish(with: error, into: &output)
        }
    }
}

/// How far each client has come.
private final class Clients: Sendable {
    private let nextMethods = Mutex<[String: Int]>([:])

    /// What to reply to a call of one of the methods.
    func answer(_ call: VarlinkCall, _ parameters: JSONValue) throws(VarlinkError) -> JSONValue {
        let last = CertificationInterface.methods.count - 1
        if call.method == 0 { return ["client_id": .string(begin())] }
        let client = parameters["client_id"]?.text ?? ""
        guard let expected = advance(client) else { throw VarlinkError("\(CertificationInterface.name).ClientIdError") }
        guard expected == call.method else { throw Self.error(expected, call.method, parameters) }
        if call.method == last { return ["all_ok": .bool(true)] }
        let wanted = CertificationInterface.wanted[call.method - 1].adding("client_id", .string(client))
        let mode: VarlinkCall.Mode = call.method == 10 ? .more : call.method == 11 ? .oneway : .once
        guard parameters.means(wanted), call.mode == mode else {
            throw Self.error(expected, call.method, parameters)
        }
        return CertificationInterface.replies[call.method - 1]
    }

    private func begin() -> String {
        nextMethods.withLock { methods in
            let client = "client-\(methods.count)"
            methods[client] = 1
            return client
        }
    }

    /// The method that a client has to call now; nil if it has not begun.
    private func advance(_ client: String) -> Int? {
        nextMethods.withLock { methods in
            guard let method = methods[client] else { return nil }
            methods[client] = method + 1
            return method
        }
    }

    private static func error(_ expected: Int, _ method: Int, _ parameters: JSONValue) -> VarlinkError {
        func text(_ method: Int) -> JSONValue {
            .string(
                CertificationInterface.methods.indices.contains(method) ? CertificationInterface.methods[method] : "")
        }
        return VarlinkError(
            "\(CertificationInterface.name).CertificationError",
            [.init("wants", ["method": text(expected)]), .init("got", parameters.adding("method", text(method)))])
    }
}
