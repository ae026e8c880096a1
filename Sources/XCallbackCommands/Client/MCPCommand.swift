import ArgumentParser
import Dispatch
import Glibc
import Synchronization
import XCallbackAdministration
import XCallbackClient
import XCallbackLinux
import XCallbackMCP
import XCallbackPipeline
import XCallbackURL
import XCallbackWire

/// Serves the routes that are offered to assistants.
struct MCPCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Offer routes to an assistant as tools (MCP).",
        discussion: """
            Clients such as Claude Desktop, Claude Code and VS Code start this command and use its standard input and \
            output. Each route with 'agent' is a tool; 'xcallback routes --origin agent' lists them. Requests of the \
            assistant have the origin 'agent' and reach no other routes. If the user answers a question ('confirm') \
            with no, that is final: a client cannot change it.

            Example: claude mcp add xcallback -- xcallback mcp
            Example: xcallback mcp --scheme notes --verbose

            Exit status: 0 end of standard input, 64 usage, 74 input not readable.
            """
    )

    @Option(
        name: .customLong("scheme"),
        help: ArgumentHelp("Offer only routes of this scheme. Can be repeated.", valueName: "scheme"),
        completion: .live(.scheme))
    var schemes: [String] = []

    @Flag(help: "Log each call on standard error: tool, outcome and duration, but no values.")
    var verbose = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        try await ToolBridge(daemon, schemes: schemes.map { $0.lowercased() }, isVerbose: verbose).run()
    }
}

/// Connects a client of the Model Context Protocol to the daemon, by performing the actions that ``ToolServer`` returns.
///
/// Each call is a request on its own connection: ending the call closes it, and the daemon stops the handler.
actor ToolBridge {
    /// The maximum number of calls at a time, which equals the number of programs that may run for an assistant.
    private static let callLimit = 8
    /// The maximum number of calls that wait.
    private static let queueLimit = 64
    /// The interval of progress messages: many clients give up after a minute of silence.
    private static let progressPause = Duration.seconds(10)
    /// The maximum time for the client to read the last messages.
    private static let patience = Duration.seconds(1)
    /// How long it retries to list the tools while other requests of the user take their place, and the pause between tries.
    private static let listPatience = Duration.seconds(15)
    private static let listPause = Duration.milliseconds(100)
    /// The pause between attempts to reach the daemon.
    private static let watchPause = Duration.seconds(1)

    private let daemon: Client
    private let schemes: [String]
    private let isVerbose: Bool
    private let messages: MessageChannel
    private var server = ToolServer(version: Version.text)
    /// The latest known tools, by name; nil before the first list.
    private var tools: [String: Tool]?
    /// The tools last sent to the client; nil before the first time.
    private var told: [JSONValue]?
    /// The tasks of open requests.
    private var tasks: [ToolServer.Ticket: Task<Void, Never>] = [:]
    /// The names of the tools that are being called.
    private var calls: [ToolServer.Ticket: String] = [:]
    /// The calls that wait for a free slot.
    private var queue: [ToolServer.ToolCall] = []
    private var watch: Task<Void, Never>?

    init(_ daemon: Client, schemes: [String], isVerbose: Bool) {
        self.daemon = daemon
        self.schemes = schemes
        self.isVerbose = isVerbose
        messages = MessageChannel(limit: ToolServer.messageLimit)
    }

    /// Serves the client until its messages end.
    ///
    /// - Throws: ``Failure`` if they cannot be read.
    func run() async throws {
        reading: while true {
            switch try await messages.next() {
            case .end: break reading
            case .tooLong: messages.send(server.refuseMessage())
            case .whole(let line): for step in server.receive(line.span) { perform(step) }
            }
            if server.wantsChanges, watch == nil { watch = Task { await self.watchRoutes() } }
            // Stops reading from a client that does not read.
            guard await messages.hasRoom() else { break }
        }
        queue = []
        watch?.cancel()
        for ticket in Array(tasks.keys) { cancel(ticket) }
        for message in server.end() { messages.send(message) }
        await messages.finish(within: Self.patience)
    }

    private func perform(_ step: ToolServer.Step) {
        switch step {
        case .send(let message): messages.send(message)
        case .list(let request): tasks[request.ticket] = Task { await self.answer(request) }
        case .call(let call): begin(call)
        case .cancel(let ticket):
            queue.removeAll { $0.ticket == ticket }
            cancel(ticket)
        }
    }

    /// Cancels the task of a request.
    private func cancel(_ ticket: ToolServer.Ticket) {
        tasks[ticket]?.cancel()
        if isVerbose, let name = calls[ticket] {
            Terminal.printError("xcallback: \(name.withVisibleControls): cancelled by the client")
        }
    }

    private func send(_ message: JSONValue?) {
        if let message { messages.send(message) }
    }
}

// MARK: - The list of tools

extension ToolBridge {
    private func answer(_ request: ToolServer.ListRequest) async {
        defer { tasks[request.ticket] = nil }
        do {
            let tools = try await currentTools()
            told = Self.descriptions(of: tools)
            send(server.list(request, among: Array(tools.values)))
        } catch {
            if error is CancellationError { return }
            // A client that has received no list is notified of the first tools.
            told = told ?? []
            send(server.answer(to: request.ticket, with: ProtocolError(.internalError, "\(error)")))
        }
    }

    /// Requests the tools from the daemon.
    private func currentTools() async throws -> [String: Tool] {
        let end = ContinuousClock.now + Self.listPatience
        while true {
            do {
                let routes = try await ReplyWatch.wait("to list its routes") {
                    try await daemon.routes(beginningWith: nil, reachedFrom: .agent)
                }
                let tools = self.tools(of: routes)
                self.tools = tools
                return tools
            } catch let error as ClientError where error.reason == .limitReached && ContinuousClock.now < end {
                // Other bridges of the user request the list, too, and each gets its turn.
                try await Task.sleep(for: Self.listPause)
            }
        }
    }

    private func tools(of routes: [Client.Route]) -> [String: Tool] {
        let tools = routes.map(\.json).compactMap(Tool.init).filter { tool in
            schemes.isEmpty || tool.route["scheme"]?.text.map(schemes.contains) == true
        }
        return Dictionary(tools.map { ($0.name, $0) }) { first, _ in first }
    }

    private static func descriptions(of tools: [String: Tool]) -> [JSONValue] {
        tools.values.sorted { $0.name < $1.name }.map(\.description)
    }

    /// Follows the list of tools, and notifies the client when it changes.
    private func watchRoutes() async {
        while !Task.isCancelled {
            do {
                for try await routes in try await daemon.routeUpdates(reachedFrom: .agent) {
                    update(tools(of: routes))
                }
            } catch {
                // Without a daemon, each request fails with that reason, and the client is notified of the first tools.
                told = told ?? []
            }
            try? await Task.sleep(for: Self.watchPause)
        }
    }

    private func update(_ tools: [String: Tool]) {
        self.tools = tools
        let descriptions = Self.descriptions(of: tools)
        defer { told = descriptions }
        // A client that has not requested the list may have an earlier one; it is notified if the first known list differs.
        guard let told, told != descriptions else { return }
        for message in server.listChanged() { messages.send(message) }
    }
}

// MARK: - Calls

extension ToolBridge {
    private func begin(_ call: ToolServer.ToolCall) {
        guard calls.count >= Self.callLimit else { return start(call) }
        guard queue.count < Self.queueLimit else {
            return end(
                call, with: .failure("Too many calls are in progress: try again later."), after: .zero)
        }
        queue.append(call)
    }

    private func start(_ call: ToolServer.ToolCall) {
        calls[call.ticket] = call.name
        tasks[call.ticket] = Task {
            await self.run(call)
            self.ended(call)
        }
    }

    private func ended(_ call: ToolServer.ToolCall) {
        tasks[call.ticket] = nil
        calls[call.ticket] = nil
        if !queue.isEmpty { start(queue.removeFirst()) }
    }

    private func run(_ call: ToolServer.ToolCall) async {
        let start = ContinuousClock.now
        let progress = call.wantsProgress ? Task { await self.tellProgress(of: call) } : nil
        defer { progress?.cancel() }
        do {
            end(call, with: try await outcome(of: call), after: ContinuousClock.now - start)
        } catch let error as ProtocolError {
            send(server.answer(to: call.ticket, with: error))
        } catch is CancellationError {
            // The call was cancelled: no client waits for an answer.
        } catch {
            end(call, with: .failure("\(error)"), after: ContinuousClock.now - start)
        }
    }

    private func end(_ call: ToolServer.ToolCall, with outcome: Outcome, after time: Duration) {
        if case .brokenPromise(_, let names) = outcome {
            Terminal.printError(
                "xcallback: the answer of '\(call.name)' does not match its 'returns': "
                    + names.joined(separator: ", ").withVisibleControls)
        }
        if isVerbose {
            let milliseconds = Int(time / .milliseconds(1))
            Terminal.printError("xcallback: \(call.name.withVisibleControls): \(outcome.word), \(milliseconds) ms")
        }
        send(server.answer(to: call, with: outcome))
    }

    private func tellProgress(of call: ToolServer.ToolCall) async {
        var seconds = 0
        while true {
            do { try await Task.sleep(for: Self.progressPause) } catch { return }
            seconds += Int(Self.progressPause.components.seconds)
            guard let message = server.progress(of: call, after: seconds) else { return }
            messages.send(message)
        }
    }

    /// Performs a call and returns its outcome.
    ///
    /// - Throws: ``ProtocolError`` if there is no such tool, or `CancellationError`.
    private func outcome(of call: ToolServer.ToolCall) async throws -> Outcome {
        do {
            guard let tool = try await tool(named: call.name) else {
                throw ProtocolError(.invalidParameters, "Unknown tool: \(call.name)")
            }
            var items = try tool.parameters(of: call.arguments)
            let route = Client.Route(reading: tool.route)
            // Nothing is added to a URL that another specification defines.
            let isInURL = route.syntax == .callback
            if isInURL, let source = call.source { items.append("x-source", source) }
            let answer = try await daemon.open(
                try route.url(with: items), from: .agent, answeredBy: route.id, as: isInURL ? nil : call.source)
            return try await outcome(of: answer, of: tool, readingForm: route.readsForms)
        } catch let outcome as Outcome {
            return outcome
        } catch let error as RouteFillingError {
            return .error(code: CallbackError.Code.badParameter.rawValue, message: error.reason)
        } catch let fault as ReplyFault {
            return .failure("\(ClientError(fault))")
        } catch let error as ClientError where error.reason == .disconnected {
            return .failure("\(error)\nThe action may have run: check before you call it again.")
        } catch let error as ClientError {
            return .failure("\(error)")
        } catch let failure as OpeningFailure {
            return .failure("\(failure)")
        }
    }

    private func tool(named name: String) async throws -> Tool? {
        if let tool = tools?[name] { return tool }
        return try await currentTools()[name]
    }

    private func outcome(
        of answer: Client.Answer, of tool: Tool, readingForm readsForm: Bool
    ) async throws -> Outcome {
        switch answer.response {
        case .success(let items): return tool.result(of: items)
        case .error(let error): return .error(code: error.code.rawValue, message: error.message)
        case .cancel: return .cancel
        case .redirect(let target):
            if target.isOfWeb { return tool.result(of: ["url": target.text]) }
            // Calls an application, whose answer is the result.
            let opener = DesktopTools()
            let answer: Client.Answer
            do {
                answer = try await daemon.call(target.text, readingForm: readsForm) { url in
                    try await onThreadThatMayWait {
                        try opener.checkReturn()
                        try opener.open(url, as: "the URL")
                    }
                }
            } catch let error as ClientError where error.reason == .denied {
                return .failure(
                    "This action opens an application, which is not allowed over the daemon's socket for assistants."
                )
            }
            if case .redirect(let other) = answer.response { return tool.result(of: ["url": other.text]) }
            return try await outcome(of: answer, of: tool, readingForm: readsForm)
        }
    }
}

/// One message per line, from standard input and to standard output.
///
/// Reading and writing have a thread each, because neither can be awaited otherwise. Messages are written in the order in
/// which they are sent.
final class MessageChannel: Sendable {
    /// The number of bytes that may wait to be written; above it, nothing more is read.
    private static let room = 1_048_576
    /// The interval between checks for room.
    private static let pause = Duration.milliseconds(50)

    private struct Output {
        var byteCount = 0
        /// Whether the reader has closed standard output.
        var isBroken = false
    }

    private let readers = DispatchQueue(label: "xcallback.messages.in")
    private let writers = DispatchQueue(label: "xcallback.messages.out")
    private let input: Mutex<LineReader>
    private let output = Mutex(Output())

    /// Opens the channel.
    ///
    /// - Parameter limit: The maximum number of bytes in an incoming message.
    init(limit: Int) {
        input = Mutex(LineReader(STDIN_FILENO, limit: limit))
    }

    /// Returns the next message that is not empty.
    ///
    /// - Throws: ``Failure`` if it cannot be read.
    func next() async throws -> LineReader.Line {
        try await withCheckedThrowingContinuation { continuation in
            readers.async { [self] in
                continuation.resume(with: Result { try input.withLock { reader in try Self.message(from: &reader) } })
            }
        }
    }

    private static func message(from reader: inout LineReader) throws(Failure) -> LineReader.Line {
        while true {
            let line = try reader.next()
            // Blanks carry no meaning in JSON, such as the CR of a client that ends lines as Windows does.
            guard case .whole(let bytes) = line, bytes.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) else {
                return line
            }
        }
    }

    /// Sends a message.
    func send(_ message: JSONValue) {
        let line = message.bytes + [UInt8(ascii: "\n")]
        output.withLock { $0.byteCount += line.count }
        writers.async { [self] in
            let isLost = output.withLock(\.isBroken) || Terminal.write(line, to: STDOUT_FILENO) != 0
            output.withLock { output in
                output.byteCount -= line.count
                output.isBroken = isLost
            }
        }
    }

    /// Waits until there is room for more.
    ///
    /// - Returns: Whether the client still reads and may send.
    func hasRoom() async -> Bool {
        while true {
            let (isBroken, count) = output.withLock { ($0.isBroken, $0.byteCount) }
            if isBroken { return false }
            if count <= Self.room { return true }
            // A client that has gone reads nothing, and its earlier requests have no purpose any more.
            var member = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
            if poll(&member, 1, 0) > 0, member.revents & Int16(POLLHUP | POLLERR) != 0 { return false }
            do { try await Task.sleep(for: Self.pause) } catch { return false }
        }
    }

    /// Waits until everything is written, at most for a given time.
    func finish(within limit: Duration) async {
        _ = try? await Race<Void>.result { race in
            writers.async { race.end(with: .success(())) }
            readers.asyncAfter(deadline: .now() + limit / .seconds(1)) { race.end(with: .success(())) }
        }
    }
}

/// Splits the input of a descriptor into lines.
struct LineReader {
    /// A result of reading.
    enum Line: Sendable {
        /// A line without its ending; the last line needs none.
        case whole([UInt8])
        /// A line over the limit, which is skipped.
        case tooLong
        /// The end of the input.
        case end
    }

    private let descriptor: Int32
    private let limit: Int
    private var received: [UInt8] = []
    private var searchedCount = 0
    private var isAtEnd = false

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - descriptor: The input.
    ///   - limit: The maximum number of bytes in a line.
    init(_ descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// Reads the next line.
    ///
    /// - Throws: ``Failure`` if the descriptor cannot be read.
    mutating func next() throws(Failure) -> Line {
        var isTooLong = false
        while true {
            if let end = received[searchedCount...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(received[..<end])
                received.removeFirst(end + 1)
                searchedCount = 0
                return isTooLong || line.count > limit ? .tooLong : .whole(line)
            }
            searchedCount = received.count
            if searchedCount > limit {
                isTooLong = true
                (received, searchedCount) = ([], 0)
            }
            if isAtEnd {
                defer { (received, searchedCount) = ([], 0) }
                if isTooLong { return .tooLong }
                return received.isEmpty ? .end : .whole(received)
            }
            try fill()
        }
    }

    private mutating func fill() throws(Failure) {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &chunk, chunk.count)
        let code = errno
        if count < 0, code != EINTR { throw Failure("cannot read lines: \(systemMessage(code))") }
        if count == 0 { isAtEnd = true }
        received += chunk.prefix(max(count, 0))
    }
}
