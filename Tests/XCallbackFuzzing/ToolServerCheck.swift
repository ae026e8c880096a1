import XCallbackAdministration
import XCallbackClient
import XCallbackCommands
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// Checks that each request of a client of the Model Context Protocol has at most one answer, and none after its cancel.
///
/// The input is lines: what the client sends, but for those that are a digit alone, which say what happens in between. It
/// is served as the bridge does it, so that lists and calls are answered late, and in any order.
func checkToolServer(_ input: FuzzInput) throws {
    var input = input
    var conversation = ToolConversation()
    while !input.isEmpty {
        let line = input.takeLine()
        if line.count == 1, let digit = line.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) {
            try conversation.pass(Int(digit - UInt8(ascii: "0")))
        } else {
            try conversation.receive(line)
        }
    }
    try conversation.end()
}

/// A conversation, and who waits for what.
private struct ToolConversation {
    private static let tools: [Tool] = {
        let routes = """
            [{"route":"a:/note","agent":"note","title":"Note","policies":["confirm"],"input":[
            {"name":"id","place":"path","type":"int","required":true},
            {"name":"tags","place":"query","type":"list","of":"number","required":false},
            {"name":"text","place":"query","type":"string","required":false,"max_length":4}],"returns":[
            {"name":"id","type":"int","required":true},{"name":"tags","type":"list","of":"number","required":false},
            {"name":"text","type":"string","required":false}]},{"route":"a:/list","agent":"list","effect":{"kind":"read"}}]
            """
        let value = try? JSONValue(parsing: Array(routes.utf8).span, maximumSize: 4096)
        return (value?.elements ?? []).map(Client.CatalogueRoute.init(reading:)).compactMap(Tool.init)
    }()

    /// What is to be done for a request, which somebody waits for or not.
    private enum Task {
        case list(ToolServer.ListRequest)
        case call(ToolServer.ToolCall)

        var id: JSONValue {
            switch self {
            case .list(let request): request.ticket.id
            case .call(let call): call.ticket.id
            }
        }
    }

    private var server = ToolServer(version: "1")
    /// What is not done yet, and whether somebody waits for it.
    private var tasks: [(task: Task, isWanted: Bool)] = []
    /// The subscriptions that were acknowledged and have not ended.
    private var subscriptions: [JSONValue] = []

    mutating func receive(_ line: [UInt8]) throws {
        let message = try? JSONValue(parsing: line.span, maximumSize: line.count)
        let id = message?["id"] ?? .null
        let isNotification = message?["jsonrpc"] == "2.0" && message?["id"] == nil
        let isCancelled = isNotification && message?["method"] == "notifications/cancelled"
        let cancelled = isCancelled ? message?["params"]?["requestId"] : nil
        let steps = server.receive(line.span)
        try check(steps.count <= 1, "\(steps.count) steps for \(line.shown)")
        for step in steps {
            switch step {
            case .send(let answer): try checkFirstAnswer(answer, to: id)
            case .list(let request): try begin(.list(request), as: id)
            case .call(let call): try begin(.call(call), as: id)
            case .cancel(let found):
                try check(found.id == cancelled, "\(found) is cancelled by \(line.shown)")
                try check(tasks.contains { $0.isWanted && $0.task.id == found.id }, "\(found) is not open")
            }
        }
        guard let cancelled else { return }
        try check(steps.allSatisfy { if case .cancel = $0 { true } else { false } }, "a cancel is answered")
        for index in tasks.indices where tasks[index].task.id == cancelled { tasks[index].isWanted = false }
        subscriptions.removeAll { $0 == cancelled }
    }

    /// Checks what is sent at once for a message.
    private mutating func checkFirstAnswer(_ answer: JSONValue, to id: JSONValue) throws {
        try checkLine(answer)
        if answer["method"] == "notifications/subscriptions/acknowledged" {
            let subscription = answer["params"]?["_meta"]?["io.modelcontextprotocol/subscriptionId"]
            try check(subscription == id, "\(answer) for \(id)")
            try check(!isOpen(id), "\(id) is open already")
            subscriptions.append(id)
            return
        }
        let isError = answer["error"] != nil
        try check(isError != (answer["result"] != nil), "neither an error nor a result: \(answer)")
        try check(answer["id"] == id || isError && answer["id"] == .null, "\(answer) for \(id)")
        // Another request with the id of one that is open is refused; the open one is answered later.
        try check(!isOpen(id) || answer["error"]?["code"]?.integer == -32600, "\(id) is answered twice: \(answer)")
    }

    private func isOpen(_ id: JSONValue) -> Bool {
        subscriptions.contains(id) || tasks.contains { $0.isWanted && $0.task.id == id }
    }

    private mutating func begin(_ task: Task, as id: JSONValue) throws {
        try check(task.id == id && (id.text != nil || id.integer != nil), "\(task.id) for \(id)")
        try check(!isOpen(id), "\(id) is open already")
        tasks.append((task, true))
    }

    /// Something happens that is not the client's doing.
    mutating func pass(_ number: Int) throws {
        switch number {
        case 0:
            let changes = server.listChanged()
            try check(changes.isEmpty || server.wantsChanges, "nobody wants to know of changes")
            for message in changes {
                try checkLine(message)
                try check(message["id"] == nil, "a notification with an id: \(message)")
                let subscription = message["params"]?["_meta"]?["io.modelcontextprotocol/subscriptionId"]
                try check(subscription.map(subscriptions.contains) ?? true, "\(message) for nobody")
            }
        case 1:
            for (task, isWanted) in tasks {
                guard case .call(let call) = task,
                    let message = server.progress(of: call, after: .seconds(10), "3 of 10")
                else { continue }
                try checkLine(message)
                try check(isWanted && call.wantsProgress && message["id"] == nil, "progress for nobody: \(message)")
            }
        case 2, 3, 4: try finish(at: 0, number)
        default: try finish(at: tasks.count - 1, number)
        }
    }

    /// Answers a request.
    private mutating func finish(at index: Int, _ number: Int) throws {
        guard tasks.indices.contains(index) else { return }
        let (task, isWanted) = tasks.remove(at: index)
        let answer: JSONValue? =
            switch task {
            case .list(let request): server.list(request, among: Self.tools)
            case .call(let call): server.answer(to: call, with: Self.outcome(of: call, number))
            }
        try check((answer != nil) == isWanted, "\(task.id) is wanted: \(isWanted), answered: \(answer ?? .null)")
        guard let answer else { return }
        try checkLine(answer)
        try check(answer["id"] == task.id && answer["result"] != nil, "\(answer) for \(task.id)")
    }

    /// What a call comes to at a daemon that gives back what it is given.
    private static func outcome(of call: ToolServer.ToolCall, _ number: Int) -> Outcome {
        guard let tool = tools.first(where: { $0.name == call.name }) else { return .failure("Unknown tool") }
        if number % 3 == 0 { return .cancel }
        do throws(Outcome) {
            return tool.result(of: try tool.parameters(of: call.arguments))
        } catch {
            return error
        }
    }

    mutating func end() throws {
        let ends = server.end()
        for message in ends { try checkLine(message) }
        try check(ends.compactMap { $0["id"] } == subscriptions, "\(ends) for \(subscriptions)")
        for index in tasks.indices { tasks[index].isWanted = false }
        while !tasks.isEmpty { try finish(at: 0, 2) }
        try check(server.listChanged().allSatisfy { $0["params"] == nil }, "a subscription goes on after the end")
    }

    /// Checks that a message is one line of JSON.
    private func checkLine(_ message: JSONValue) throws {
        let bytes = message.bytes
        try check(!bytes.contains(UInt8(ascii: "\n")), "a message has several lines: \(bytes.shown)")
        try check(message["jsonrpc"] == "2.0", "no message of JSON-RPC: \(bytes.shown)")
        guard NaiveJSON(bytes)?.value.bytes == bytes else { throw TestFailure("no JSON: \(bytes.shown)") }
    }
}
