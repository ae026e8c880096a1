import Glibc
import XCallbackClient
import XCallbackJSON
import XCallbackMCP
import XCallbackPipeline
import XCallbackURL

/// Stands between a client of the Model Context Protocol and the daemon: it does what ``ToolServer`` says.
///
/// Each call is a request of its own connection: to end the call is to close it, and the daemon stops the handler.
actor ToolBridge {
    /// How many calls are made at a time: as many programs may run for an assistant.
    private static let callLimit = 8
    /// How many more wait.
    private static let queueLimit = 64
    /// How often a client hears that a call still runs: many give up after a minute without a word.
    private static let progressPause = Duration.seconds(10)
    /// How long the last messages may take to be read.
    private static let patience = Duration.seconds(1)
    /// For how long it asks for the list again while others of the user ask for it, and how often.
    private static let listPatience = Duration.seconds(15)
    private static let listPause = Duration.milliseconds(100)
    /// How long it waits before it tries to reach the daemon again.
    private static let watchPause = Duration.seconds(1)

    private let daemon: Client
    private let schemes: [String]
    private let isVerbose: Bool
    private let messages: MessageChannel
    private var server = ToolServer(version: Version.text)
    /// The tools that were heard of last, by name; nil if none were.
    private var tools: [String: Tool]?
    /// What the client was told of the tools last; nil before the first time.
    private var told: [JSONValue]?
    /// What is done for open requests.
    private var tasks: [ToolServer.Ticket: Task<Void, Never>] = [:]
    /// The tools that are called just now.
    private var calls: [ToolServer.Ticket: String] = [:]
    /// The calls that wait for others.
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
            // A client that reads nothing is not read either.
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

    /// Ends what is done for a request.
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
            // Whoever has heard of none hears of the first ones.
            told = told ?? []
            send(server.answer(to: request.ticket, with: ProtocolError(.internalError, "\(error)")))
        }
    }

    /// Asks the daemon for the tools.
    private func currentTools() async throws -> [String: Tool] {
        let end = ContinuousClock.now + Self.listPatience
        while true {
            do {
                let tools = self.tools(of: try await daemon.routeValues(reachedFrom: .agent))
                self.tools = tools
                return tools
            } catch let error as ClientError where error.reason == .limitReached && ContinuousClock.now < end {
                // Other bridges of the user ask for the list, too: it comes to each of them.
                try await Task.sleep(for: Self.listPause)
            }
        }
    }

    private func tools(of routes: JSONValue) -> [String: Tool] {
        let tools = (routes.elements ?? []).compactMap(Tool.init).filter { tool in
            schemes.isEmpty || tool.route["scheme"]?.text.map(schemes.contains) == true
        }
        return Dictionary(tools.map { ($0.name, $0) }) { first, _ in first }
    }

    private static func descriptions(of tools: [String: Tool]) -> [JSONValue] {
        tools.values.sorted { $0.name < $1.name }.map(\.description)
    }

    /// Hears of the tools again and again, and tells the client when they are others.
    private func watchRoutes() async {
        while !Task.isCancelled {
            do {
                for try await routes in try await daemon.routeValueUpdates(reachedFrom: .agent) {
                    hear(tools(of: routes))
                }
            } catch {
                // There is no daemon; each request is told so, and of the first tools that there are.
                told = told ?? []
            }
            try? await Task.sleep(for: Self.watchPause)
        }
    }

    private func hear(_ tools: [String: Tool]) {
        self.tools = tools
        let descriptions = Self.descriptions(of: tools)
        defer { told = descriptions }
        // Who has asked for none may have a list from before, which is as the first that is heard of, or told to be another.
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
        } catch {
            // It was cancelled: nobody waits for an answer.
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

    /// What a call comes to.
    ///
    /// - Throws: ``ProtocolError`` if there is no such tool, or `CancellationError`.
    private func outcome(of call: ToolServer.ToolCall) async throws -> Outcome {
        do {
            guard let tool = try await tool(named: call.name) else {
                throw ProtocolError(.invalidParameters, "Unknown tool: \(call.name)")
            }
            var items = try tool.parameters(of: call.arguments)
            if let source = call.source { items.append("x-source", source) }
            let route = try Client.Route(reading: tool.route)
            let answer = try await daemon.open(try route.url(with: items), from: .agent, answeredBy: route.id)
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
            // An application is called, and what that answers is the result.
            let opener = DesktopTools()
            let answer: Client.Answer
            do {
                answer = try await daemon.call(target.text, readingForm: readsForm) { url in
                    try opener.checkReturn()
                    try opener.open(url, as: "the URL")
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
