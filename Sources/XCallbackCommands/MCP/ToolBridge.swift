import XCallbackAdministration
import XCallbackClient
import XCallbackLinux
import XCallbackRouter
import XCallbackURL
import XCallbackWire

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
    private var reported: [JSONValue]?
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
            reported = Self.descriptions(of: tools)
            send(server.list(request, among: Array(tools.values)))
        } catch {
            if error is CancellationError { return }
            // A client that has received no list is notified of the first tools.
            reported = reported ?? []
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

    private func tools(of routes: [Client.CatalogueRoute]) -> [String: Tool] {
        let tools = routes.compactMap(Tool.init).filter { schemes.isEmpty || schemes.contains($0.route.scheme) }
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
                reported = reported ?? []
            }
            try? await Task.sleep(for: Self.watchPause)
        }
    }

    private func update(_ tools: [String: Tool]) {
        self.tools = tools
        let descriptions = Self.descriptions(of: tools)
        defer { reported = descriptions }
        // A client that has not requested the list may have an earlier one; it is notified if the first known list differs.
        guard let reported, reported != descriptions else { return }
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
        let progress = call.wantsProgress ? Task { await self.reportTime(of: call, since: start) } : nil
        defer { progress?.cancel() }
        do {
            end(call, with: try await outcome(of: call, since: start), after: ContinuousClock.now - start)
        } catch let error as ProtocolError {
            send(server.answer(to: call.ticket, with: error))
        } catch is CancellationError {
            // The call was cancelled: no client waits for an answer.
        } catch {
            end(call, with: .failure("\(error)"), after: ContinuousClock.now - start)
        }
    }

    private func end(_ call: ToolServer.ToolCall, with outcome: Outcome, after time: Duration) {
        if case .contractViolation(_, let names) = outcome {
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

    private func reportTime(of call: ToolServer.ToolCall, since start: ContinuousClock.Instant) async {
        while true {
            do { try await Task.sleep(for: Self.progressPause) } catch { return }
            report(nil, of: call, since: start)
        }
    }

    private func report(_ text: String?, of call: ToolServer.ToolCall, since start: ContinuousClock.Instant) {
        // A client that does not read misses only what a later one replaces.
        if messages.isRead { send(server.progress(of: call, after: ContinuousClock.now - start, text)) }
    }

    /// Performs a call and returns its outcome.
    ///
    /// - Throws: ``ProtocolError`` if there is no such tool, or `CancellationError`.
    private func outcome(of call: ToolServer.ToolCall, since start: ContinuousClock.Instant) async throws -> Outcome {
        do {
            guard let tool = try await tool(named: call.name) else {
                throw ProtocolError(.invalidParameters, "Unknown tool: \(call.name)")
            }
            var items = try tool.parameters(of: call.arguments)
            let route = tool.route
            // Nothing is added to a URL that another specification defines.
            let isInURL = route.syntax == .callback
            if isInURL, let source = call.source { items.append("x-source", source) }
            let report = { @Sendable progress in
                _ = Task { await self.report("\(progress as RequestProgress)", of: call, since: start) }
            }
            let answer = try await daemon.open(
                try route.url(with: items), from: .agent, answeredBy: route.id, as: isInURL ? nil : call.source,
                progress: call.wantsProgress ? report : nil)
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
