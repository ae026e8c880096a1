import XCallbackJSON
import XCallbackTesting
import XCallbackVarlink

/// A client of `org.xcallback.Router`; it waits at most twenty seconds for a reply.
final class RouterClient {
    private let socket: ByteSocket
    private var session = VarlinkClientSession(limit: 1 << 24)
    private var input: [UInt8] = []
    /// The daemon, if it lasts as long as the client does.
    private let daemon: RunningDaemon?

    init(_ path: String) throws {
        socket = try ByteSocket.connect(to: path)
        daemon = nil
    }

    /// Connects to a daemon that nobody else needs.
    init(of daemon: RunningDaemon) throws {
        socket = try ByteSocket.connect(to: daemon.socket)
        self.daemon = daemon
    }

    /// Sends a call and does not wait for its reply.
    func send(_ method: String, _ parameters: JSONValue = [:], mode: VarlinkCall.Mode = .once) throws {
        var output: [UInt8] = []
        session.call("org.xcallback.Router.\(method)", parameters, mode: mode, into: &output)
        try socket.send(output)
    }

    /// Sends bytes as they are.
    func send(bytes: [UInt8]) throws {
        try socket.send(bytes)
    }

    /// Sends a message as it is.
    func send(text: String) throws {
        try socket.send(Array(text.utf8) + [0])
    }

    /// The parameters of the next reply.
    ///
    /// - Throws: ``VarlinkError`` if it is an error.
    func reply() throws -> JSONValue {
        while true {
            switch session.next(in: input.span, from: 0) {
            case .reply(let reply, let next):
                input.removeFirst(next)
                return try reply.result.get()
            case .needsInput: guard try socket.receive(into: &input) else { throw TestFailure("the daemon hangs up") }
            case .close(let fault): throw fault
            }
        }
    }

    /// The next reply as it is; nil if the daemon hangs up.
    func replyText() throws -> String? {
        while true {
            if let end = input.firstIndex(of: 0) {
                defer { input.removeFirst(end + 1) }
                return String(decoding: input[..<end], as: UTF8.self)
            }
            guard try socket.receive(into: &input) else { return nil }
        }
    }

    /// Calls a method and waits for its reply.
    func call(_ method: String, _ parameters: JSONValue = [:]) throws -> JSONValue {
        try send(method, parameters)
        return try reply()
    }

    /// Asks for the answer to a URL.
    func open(_ url: String) throws -> JSONValue { try call("Open", ["url": .string(url)]) }

    /// Begins to receive as a name, so many requests at a time.
    func receive(_ name: String, prefetch: JSONNumber? = nil) throws {
        let prefetch = prefetch.map { JSONValue.number($0) } ?? .null
        try send("Receive", ["name": .string(name), "prefetch": prefetch], mode: .more)
        guard try reply()["request"] == .null else { throw TestFailure("receiving begins with a request") }
    }

    /// The next request that is received.
    func request() throws -> JSONValue {
        guard let request = try reply()["request"] else { throw TestFailure("no request") }
        return request
    }

    /// Begins to subscribe to topics.
    func subscribe(_ topics: String...) throws {
        try send("Subscribe", ["topics": .array(topics.map { .string($0) })], mode: .more)
        guard try reply()["event"] == .null else { throw TestFailure("a subscription begins with an event") }
    }

    /// Responds to a request with a success.
    func respond(to request: JSONValue, _ items: [(String, String)] = []) throws {
        _ = try call(
            "Respond",
            [
                "id": request["id"] ?? .null, "outcome": "success",
                "items": .array(items.map { ["name": .string($0), "value": .string($1)] }),
            ])
    }
}

/// The name of the error that something throws; nil if it throws none of a call.
func errorName(_ body: () throws -> Void) -> String? {
    do { try body() } catch { return (error as? VarlinkError)?.name }
    return nil
}
