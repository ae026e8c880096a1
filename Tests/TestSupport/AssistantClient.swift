import Glibc
package import XCallbackTesting
package import XCallbackWire

/// A raw line client of `xcallback mcp`, which waits at most a minute for a line.
package final class AssistantClient {
    package let process: ChildProcess
    private let directory: TemporaryDirectory
    private var input: Int32
    private let output: Int32
    private var received: [UInt8] = []
    private var lastID = 0
    /// Messages that arrived while another one was awaited.
    private var others: [JSONValue] = []

    /// Its standard error.
    package var log: String { get throws { try directory.text(of: "log") } }

    /// Starts `xcallback mcp`.
    ///
    /// - Parameters:
    ///   - socket: The daemon's socket.
    ///   - options: Further options.
    ///   - environment: The complete environment, as `NAME=value`; minimal by default.
    /// - Throws: ``TestFailure`` if it cannot be started.
    package init(of socket: String, _ options: [String] = [], environment: [String] = []) throws {
        let directory = try TemporaryDirectory()
        self.directory = directory
        let pipes = ["in", "out"].map { directory.path(of: $0) }
        for pipe in pipes { _ = try TestFailure.check("mkfifo", mkfifo(pipe, 0o600)) }
        // Opened for reading and writing, so that the open call does not wait.
        input = try TestFailure.check("open", open(pipes[0], O_RDWR | O_CLOEXEC))
        output = try TestFailure.check("open", open(pipes[1], O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        process = try ChildProcess(
            [try RunningDaemon.program("xcallback"), "mcp", "--socket", socket] + options,
            environment: environment.isEmpty ? ["PATH=/usr/bin:/bin", "HOME=/"] : environment, input: pipes[0],
            output: pipes[1],
            error: directory.path(of: "log"))
    }

    deinit {
        closeInput()
        close(output)
    }

    /// Whether the program has read enough input for more to fit.
    package var takesMore: Bool {
        var member = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
        return poll(&member, 1, 500) > 0
    }

    /// Closes the program's standard input.
    package func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Sends a line.
    package func send(_ line: String) throws { try send(raw: "\(line)\n") }

    /// Sends a text verbatim.
    package func send(raw text: String) throws {
        let bytes = Array(text.utf8)
        guard write(input, bytes, bytes.count) == bytes.count else { throw TestFailure("cannot write") }
    }

    /// Returns the next message; nil at the end.
    package func receive(_ name: String = "message") throws -> JSONValue? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(received[..<end])
                received.removeFirst(end + 1)
                return try JSONValue(parsing: line.span, maximumSize: 1 << 24)
            }
            var members = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
            guard poll(&members, 1, 60_000) > 0 else {
                throw TestFailure("no \(name) comes; the log says '\(try log)'")
            }
            var part = [UInt8](repeating: 0, count: 65_536)
            let count = read(output, &part, part.count)
            if count <= 0 { return nil }
            received += part[..<count]
        }
    }

    /// Returns the answer to a request, or the next message without an ID if `id` is nil.
    package func message(to id: JSONValue?) throws -> JSONValue {
        if let index = others.firstIndex(where: { $0["id"] == id }) { return others.remove(at: index) }
        let name = id.map { "answer to request \($0)" } ?? "message without an ID"
        while let message = try receive(name) {
            if message["id"] == id { return message }
            others.append(message)
        }
        throw TestFailure("the bridge has ended before the \(name); its log says '\(try log)'")
    }

    /// Sends a request; returns its ID.
    package func request(_ method: String, _ parameters: JSONValue = [:]) throws -> JSONValue {
        lastID += 1
        let id = JSONValue.number(JSONNumber(lastID))
        let message: JSONValue = ["jsonrpc": "2.0", "id": id, "method": .string(method), "params": parameters]
        try send(message.description)
        return id
    }

    /// Sends a request and waits for its answer.
    package func ask(_ method: String, _ parameters: JSONValue = [:]) throws -> JSONValue {
        try message(to: try request(method, parameters))
    }

    /// Performs the handshake.
    package func initialize(as name: String = "tests") throws {
        _ = try ask(
            "initialize",
            [
                "protocolVersion": "2025-11-25", "capabilities": [:] as JSONValue,
                "clientInfo": ["name": .string(name), "version": "1"],
            ])
        try send(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
    }

    /// Starts a call of a tool.
    package func begin(_ tool: String, _ arguments: JSONValue = [:]) throws -> JSONValue {
        try request("tools/call", ["name": .string(tool), "arguments": arguments])
    }

    /// Calls a tool; returns its result, or the error.
    package func call(_ tool: String, _ arguments: JSONValue = [:]) throws -> JSONValue {
        let answer = try message(to: try begin(tool, arguments))
        return answer["result"] ?? answer["error"] ?? .null
    }

    /// Calls a tool; returns the text that the model reads.
    package func text(of tool: String, _ arguments: JSONValue = [:]) throws -> String {
        let result = try call(tool, arguments)
        return result["content"]?.elements?.first?["text"]?.text ?? result["message"]?.text ?? "\(result)"
    }
}
