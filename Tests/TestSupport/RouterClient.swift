import Glibc
package import Testing
package import XCallbackTesting
package import XCallbackWire

/// A client of `org.xcallback.Router`; a reply times out after a minute.
package final class RouterClient {
    private let socket: ByteSocket
    private var session = VarlinkClientSession(limit: 1 << 24)
    private var input: [UInt8] = []
    private var lastSent = ""
    /// The daemon, if this client owns it.
    private let daemon: RunningDaemon?
    /// Passes everything on between this client and the daemon; nil if it connects itself.
    private var relay: ChildProcess?

    package init(_ path: String) throws {
        socket = try ByteSocket.connect(to: path)
        daemon = nil
    }

    /// Connects as another user, which takes root: a program of that user passes everything on.
    package init(_ path: String, as userID: UInt32) throws {
        var ends: [Int32] = [-1, -1]
        _ = try TestFailure.check("socketpair", socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends))
        socket = try ByteSocket(ends[0])
        daemon = nil
        defer { close(ends[1]) }
        relay = try ChildProcess(
            [
                "/bin/sh", "-c", "exec setpriv --reuid \(userID) --clear-groups nc -N -U '\(path)' <&3 >&3",
            ], environment: ["PATH=/usr/bin:/bin:/usr/sbin"], passing: ends[1])
    }

    /// Connects to a daemon that only this client uses.
    package init(of daemon: RunningDaemon) throws {
        socket = try ByteSocket.connect(to: daemon.socket)
        self.daemon = daemon
    }

    /// Sends a call without waiting for its reply.
    package func send(_ method: String, _ parameters: JSONValue = [:], mode: VarlinkCall.Mode = .once) throws {
        var output: [UInt8] = []
        session.call("org.xcallback.Router.\(method)", parameters, mode: mode, into: &output)
        lastSent = "\(method) \(parameters)"
        try socket.send(output)
    }

    /// Sends bytes verbatim.
    package func send(bytes: [UInt8]) throws {
        try socket.send(bytes)
    }

    /// Sends a message verbatim.
    package func send(text: String) throws {
        try socket.send(Array(text.utf8) + [0])
    }

    /// Returns the parameters of the next reply.
    ///
    /// - Throws: ``VarlinkError`` if the reply is an error.
    package func reply() throws -> JSONValue {
        while true {
            switch session.next(in: input.span, from: 0) {
            case .reply(let reply, let next):
                input.removeFirst(next)
                return try reply.result.get()
            case .needsInput:
                guard try socket.receive(into: &input, after: lastSent) else {
                    throw TestFailure("the daemon hangs up after '\(lastSent)'")
                }
            case .close(let fault): throw fault
            }
        }
    }

    /// Returns the text of the next reply; nil if the daemon closes the connection.
    package func replyText() throws -> String? {
        while true {
            if let end = input.firstIndex(of: 0) {
                defer { input.removeFirst(end + 1) }
                return String(decoding: input[..<end], as: UTF8.self)
            }
            guard try socket.receive(into: &input) else { return nil }
        }
    }

    /// Calls a method and waits for its reply.
    package func call(_ method: String, _ parameters: JSONValue = [:]) throws -> JSONValue {
        try send(method, parameters)
        return try reply()
    }

    /// Returns how much of a limited resource the daemon uses.
    package func used(_ resource: String) throws -> Int {
        let limits = try call("Status")["limits"]?.elements ?? []
        return limits.first { $0["name"]?.text == resource }?["used"]?.integer ?? -1
    }

    /// Expects that the daemon holds nothing for its clients at last, but for some resources; a failure shows what is left.
    package func expectNothingIsHeld(
        but others: [String] = ["connections"], at location: SourceLocation = #_sourceLocation
    ) throws {
        var held: [JSONValue] = []
        let end = ContinuousClock.now + .seconds(20)
        repeat {
            held =
                try call("Status")["limits"]?.elements?.filter { limit in
                    !others.contains(limit["name"]?.text ?? "") && limit["used"]?.integer != 0
                } ?? []
            if held.isEmpty { return }
            usleep(2000)
        } while ContinuousClock.now < end
        expect(held, equals: [], "what the daemon still holds", at: location)
    }

    /// Returns the interface that the daemon describes.
    package func interface() throws -> VarlinkInterface {
        let parameters: JSONValue = ["interface": "org.xcallback.Router"]
        var output: [UInt8] = []
        session.call("org.varlink.service.GetInterfaceDescription", parameters, mode: .once, into: &output)
        try socket.send(output)
        return try VarlinkInterface(parsing: try reply()["description"]?.text ?? "")
    }

    /// Requests the answer to a URL.
    package func open(_ url: String) throws -> JSONValue { try call("Open", ["url": .string(url)]) }

    /// Starts to receive under a name, with a maximum number of requests at a time.
    package func receive(_ name: String, prefetch: JSONNumber? = nil) throws {
        let prefetch = prefetch.map { JSONValue.number($0) } ?? .null
        try send("Receive", ["name": .string(name), "prefetch": prefetch], mode: .more)
        guard try reply()["request"] == .null else { throw TestFailure("receiving begins with a request") }
    }

    /// Returns the next received request.
    package func request() throws -> JSONValue {
        guard let request = try reply()["request"] else { throw TestFailure("no request") }
        return request
    }

    /// Subscribes to topics.
    package func subscribe(_ topics: String...) throws {
        try send("Subscribe", ["topics": .array(topics.map { .string($0) })], mode: .more)
        guard try reply()["event"] == .null else { throw TestFailure("a subscription begins with an event") }
    }

    /// Responds to a request with success.
    package func respond(to request: JSONValue, _ items: [(String, String)] = []) throws {
        _ = try call(
            "Respond",
            [
                "id": request["id"] ?? .null, "outcome": "success",
                "items": .array(items.map { ["name": .string($0), "value": .string($1)] }),
            ])
    }
}

/// Returns the name of the error that a function throws; nil if it throws no error of a call.
package func errorName(_ body: () throws -> Void) -> String? {
    do { try body() } catch { return (error as? VarlinkError)?.name }
    return nil
}
