import XCallbackRouter
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// A pipeline with a client: asks for a URL and returns the text of the answer.
struct Conversation {
    let pipeline: Pipeline
    let host = TestHost()
    /// The execution that all requests share, as those of a daemon do.
    var execution = Execution(peer: Self.peer, origin: .socket)

    static let peer = Peer(userID: 1000, groupID: 100, processID: 42)

    init(
        _ routes: [Route], schemes: [SchemeSettings] = [SchemeSettings("notes")],
        allowed: [CallbackRules.Allowed]? = nil, maximumParameters: Int = 256, maximumRedirects: Int = 8
    ) throws {
        pipeline = try Pipeline(
            schemes: schemes, routes: routes,
            callbackRules: CallbackRules(schemes, allowed: allowed),
            maximumParameters: maximumParameters, maximumRedirects: maximumRedirects)
    }

    /// The answer to a URL that no stage waits for.
    mutating func answer(to text: String, from peer: Peer = peer, origin: Origin = .socket) -> String {
        answer(to: Array(text.utf8), from: peer, origin: origin)
    }

    /// The answer to bytes that no stage waits for.
    mutating func answer(to line: [UInt8], from peer: Peer = peer, origin: Origin = .socket) -> String {
        var output = ByteBuffer()
        let pending = execution.answer(
            line.span, from: peer, origin: origin, in: pipeline, host, into: &output)
        if let pending {
            pending.abandon()
            return "a stage waits"
        }
        return String(decoding: output.contents, as: UTF8.self)
    }

    /// The answer to a URL, with all the stages that wait.
    mutating func awaitedAnswer(
        to text: String, from peer: Peer = peer, origin: Origin = .socket
    ) async -> String {
        var output = ByteBuffer()
        let pending = execution.answer(
            text.utf8.span, from: peer, origin: origin, in: pipeline, host, into: &output)
        guard let pending else { return String(decoding: output.contents, as: UTF8.self) }
        repeat {
            guard let stage = execution.asyncStage else {
                pending.abandon()
                return "no stage waits"
            }
            execution.resume(with: await stage.run(host))
        } while !execution.advance(in: pipeline, host)
        execution.write(pending, into: &output)
        return String(decoding: output.contents, as: UTF8.self)
    }

    /// The answer to a URL of which so many stages are waited for, and the next one is interrupted.
    mutating func interruptedAnswer(
        to text: String, after count: Int, with response: Response
    ) async -> String {
        var output = ByteBuffer()
        let pending = execution.answer(
            text.utf8.span, from: Self.peer, origin: .socket, in: pipeline, host, into: &output)
        guard let pending else { return "no stage waits" }
        for _ in 0..<count {
            guard let stage = execution.asyncStage else { break }
            execution.resume(with: await stage.run(host))
            if execution.advance(in: pipeline, host) { break }
        }
        guard execution.asyncStage != nil else {
            pending.abandon()
            return "no stage waits"
        }
        execution.interrupt(with: response, host)
        execution.write(pending, into: &output)
        return String(decoding: output.contents, as: UTF8.self)
    }
}

extension Route {
    /// Creates a route from its address and its stages.
    convenience init(
        _ address: String, as syntax: URLSyntax = .callback, isPublic: Bool = true, readsForms: Bool = false,
        middleware: [MiddlewareStage] = [], policies: [any ImmediatePolicy] = [], secret: Secret? = nil,
        input: Input = Input([]),
        asyncPolicies: [any AsyncPolicy] = [], _ handler: HandlerStage = .immediate(Echo())
    ) throws {
        let parts = address.split(separator: ":", maxSplits: 1)
        var facts = StageFacts()
        if case .immediate(let fixed as Fixed) = handler { facts = fixed.facts }
        var stages = Stages(handler: NamedStage(handler, facts: facts))
        stages.middleware = middleware.map { NamedStage($0) }
        stages.policies = policies.map { NamedStage(.immediate($0)) }
        stages.hiddenSecrets = secret.map { [$0] } ?? []
        stages.input = input
        stages.settings.readsForms = readsForms
        stages.asyncPolicies = asyncPolicies.map { NamedStage($0) }
        self.init(
            scheme: String(parts[0]), pattern: try RoutePattern(parts.count > 1 ? String(parts[1]) : "", as: syntax),
            reach: isPublic ? .open : .trusted, chain: Chain(stages))
    }
}

extension QueryItems {
    /// Each item as `name=value`, or `name` where there is no value.
    var texts: [String] {
        map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }
    }
}
