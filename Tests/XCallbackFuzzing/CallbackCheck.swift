import XCallbackRouter
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// Checks that an answer goes where the rules allow, and holds what it should.
///
/// The input is the way on which the request came in, the rules, what the handler answers, and lines: `s`, `e` or `c` and
/// the value of a callback, or anything else for an item of the answer.
func checkCallbacks(_ input: FuzzInput) throws {
    let request = CallbackRequest(input)
    let answer = try request.answer()
    try check(ClassifiedLine.isOneURL(answer[...]), "the answer is no URL: \(answer.shown)")
    let (callback, response) = request.expected
    let own = "xcallback://x-callback-url/\(response.name)"
    let base = NaiveCallback(bytes: callback ?? Array(own.utf8))
    var items = response.items
    // What the daemon says of a fault is left to it.
    if items == nil { items = base.lastItems(2, of: answer) }
    try check(
        answer == base.url(adding: items ?? []),
        "the answer is \(answer.shown), expected \(base.url(adding: items ?? []).shown)")
    guard let items, !items.isEmpty else { return }
    try check(base.lastItems(items.count, of: answer) == items, "\(answer.shown) lacks \(items)")
    if response.items == nil {
        try check(items.map(\.name) == ["errorCode", "errorMessage"], "\(answer.shown) tells no error")
    }
}

/// What is expected of an answer: its outcome, and its items unless the daemon makes them.
private struct ExpectedResponse {
    let name: String
    let items: [QueryItems.Item]?

    static let fault = Self(name: "error", items: nil)
}

/// A request with callbacks, and what its handler answers.
private struct CallbackRequest {
    private static let own = "notes"

    private let origin: Origin
    private let allowed: [String]?
    private let outcome: Int
    /// The values of `x-success`, `x-error` and `x-cancel`.
    private var callbacks: [UInt8: [UInt8]] = [:]
    private var items: [QueryItems.Item] = []

    init(_ input: FuzzInput) {
        var input = input
        origin = Origin.allCases[input.below(3)]
        allowed = [nil, [], ["app", "https://example.org"]][input.below(3)]
        outcome = input.below(3)
        while !input.isEmpty {
            let line = input.takeLine()
            if let first = line.first, [Self.success, Self.error, Self.cancel].contains(first), callbacks[first] == nil
            {
                callbacks[first] = Array(line.dropFirst())
            } else {
                let text = String(decoding: line.filter { $0 != 0 }, as: UTF8.self).unicodeScalars
                let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                items.append(.init(name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : nil))
            }
        }
    }

    private static let success = UInt8(ascii: "s")
    private static let error = UInt8(ascii: "e")
    private static let cancel = UInt8(ascii: "c")

    /// What is answered.
    func answer() throws -> [UInt8] {
        let names = [Self.success: "x-success", Self.error: "x-error", Self.cancel: "x-cancel"]
        let query = callbacks.sorted { $0.key < $1.key }.map { "\(names[$0.key] ?? "")=\(encoded($0.value))" }
        let url = "\(Self.own):/a?" + query.joined(separator: "&")
        let stages = Route.Stages(handler: .immediate(FixedHandler(response: response)))
        let pattern = try RoutePattern("/a")
        let pipeline = try Pipeline(
            schemes: [SchemeSettings(Self.own)],
            routes: [Route(scheme: Self.own, pattern: pattern, reach: .all, chain: Chain(stages))],
            callbackRules: rules)
        var execution = Execution(peer: Peer(userID: 1000, groupID: 100, processID: 42), origin: origin)
        let host = TestHost()
        var output = ByteBuffer()
        let pending = execution.answer(
            url.utf8.span, from: execution.request.peer, origin: origin, in: pipeline, host, into: &output)
        if let pending {
            pending.abandon()
            throw TestFailure("a stage waits")
        }
        return output.contents
    }

    private var rules: CallbackRules {
        let list = allowed.map { list in
            list.map { entry -> CallbackRules.Allowed in
                entry == "app" ? .scheme(entry) : .site(scheme: "https", authority: "example.org")
            }
        }
        return CallbackRules([SchemeSettings(Self.own)], allowed: list)
    }

    private var response: Response {
        switch outcome {
        case 0:
            var list = QueryItems()
            for item in items { list.append(item.name, item.value) }
            return .success(list)
        case 1: return .error(CallbackError(.refused, items.first?.name ?? ""))
        default: return .cancel
        }
    }

    /// Where the answer goes to, nil for the daemon's own, and what it is.
    var expected: (callback: [UInt8]?, response: ExpectedResponse) {
        let error = callbacks[Self.error].flatMap { isTaken($0) ? $0 : nil }
        if !callbacks.values.allSatisfy(isTaken) { return (error, .fault) }
        switch outcome {
        case 0:
            if items.contains(where: isReserved) { return (error, .fault) }
            return (callbacks[Self.success], ExpectedResponse(name: "success", items: items))
        case 1:
            let items: [QueryItems.Item] = [
                .init(name: "errorCode", value: "403"), .init(name: "errorMessage", value: items.first?.name ?? ""),
            ]
            return (error, ExpectedResponse(name: "error", items: items))
        default: return (callbacks[Self.cancel], ExpectedResponse(name: "cancel", items: []))
        }
    }

    /// Whether no answer may hold an item.
    private func isReserved(_ item: QueryItems.Item) -> Bool {
        item.name.lowercased().utf8.starts(with: "x-".utf8) || item.name.isEmpty && item.value == nil
    }

    /// Whether a callback may take an answer.
    private func isTaken(_ callback: [UInt8]) -> Bool {
        let naive = NaiveCallback(bytes: callback)
        return String(validating: callback, as: UTF8.self) != nil && naive.isURL
            && naive.isAllowed(own: [Self.own], allowed: allowed, for: origin)
    }
}

/// Answers always the same.
private struct FixedHandler: Handler {
    let response: Response

    func handle(_ request: Request, _ host: any StageHost) -> Response { response }
}
