import XCallbackConfiguration
import XCallbackPrograms
package import XCallbackRouter
import XCallbackURL

/// Asks the user: `confirm: "Delete note {id}?"`, or runs a program that does: `confirm: [PROGRAM, …]`.
///
/// Status 0 approves, 1 denies and cancels the request, and any other is an error. The request's timeout is paused
/// meanwhile; the question has its own (`confirm: { text: …, timeout: 30s, origin: desktop, whole: true }`).
struct ConfirmPolicy: AsyncPolicy, ConfiguredStage, ProgramOwner {
    /// The default timeout of a question.
    private static let usualLimit = Duration.seconds(120)

    private static let expectation =
        "expected a question, such as \"Delete note {id}?\", or a program that asks, after 'confirm:'"

    let limit: Duration?
    private let program: Program
    /// The origins that require confirmation; nil for all.
    private let origins: [Origin]?
    /// The question with its placeholders; nil if it is the program's own.
    fileprivate let text: String?
    /// The question; nil if it is the program's own.
    let template: Template?
    /// Whether it shows long values whole.
    let isWhole: Bool

    init?(_ source: StageSource) {
        guard let node = source.node, !node.isNull else {
            source.faults.report(Self.expectation, at: source.place)
            return nil
        }
        var limit = Self.usualLimit
        var origins: [Origin]?
        var isWhole = false
        var (text, arguments): (Node?, Node?)
        switch node.content {
        case .mapping:
            guard let reader = MappingReader(node, of: "a 'confirm' policy", faults: source.faults) else { return nil }
            (text, arguments) = (reader.node("text"), reader.node("exec"))
            limit = reader.duration("timeout", in: .milliseconds(1)...Duration.seconds(86_400)) ?? limit
            origins = reader.node("origin")?.origins(source.faults)
            isWhole = reader.bool("whole") ?? false
            if arguments != nil { reader.refuse("whole", "is for a question with 'text'") }
            reader.finish()
            if text == nil, arguments == nil {
                source.faults.report("expected the key 'text' or 'exec' in a 'confirm' policy", at: reader.place)
                return nil
            }
            if text != nil, let arguments {
                source.faults.report("expected either 'text' or 'exec', found both", at: arguments.place)
                return nil
            }
        case .sequence: arguments = node
        case .scalar: text = node
        }
        // A value such as 'no' is meant to disable the question, which this policy cannot do.
        if let text, text.truth != nil {
            source.faults.report(Self.expectation, at: text.place)
            return nil
        }
        let template = text.flatMap { Template($0, source) }
        let program =
            text.map { text in
                template.flatMap { Program(asking: $0, at: text.place, isWhole: isWhole, source) }
            } ?? Program(arguments, source, for: .status)
        guard let program else { return nil }
        (self.program, self.template, self.isWhole) = (program, template, isWhole)
        self.text = if case .scalar(let scalar)? = text?.content { scalar.text } else { nil }
        self.limit = limit
        self.origins = origins
    }

    var ownProgram: Program? { program }

    var facts: StageFacts {
        StageFacts {
            $0.asksUser = true
            if let origins { $0.ignoresOrigins = .all.subtracting(OriginSet(origins.map(\.bit))) }
        }
    }

    func verify(_ request: Request, _ host: any StageHost) async -> Response? {
        guard asks(about: request), template == nil || !LinkForm.isFilled(request) else { return nil }
        guard [.agent, .desktop].contains(request.receivedOrigin) else { return await ask(about: request, host) }
        do throws(CallbackError) {
            try host.beginQuestion(for: request)
        } catch {
            return .error(error)
        }
        let response = await ask(about: request, host)
        // A withdrawn or expired question counts as denied, so that the action rests as well.
        host.endQuestion(for: request, isNo: response == .cancel || Task.isCancelled)
        return response
    }

    private func ask(about request: Request, _ host: any StageHost) async -> Response? {
        await program.decide(on: request, for: "confirm", host) { status, error in
            status == 1 ? .cancel : error.map { .error($0) }
        }
    }

    /// A redirect does not hide that a request came through the desktop.
    func asks(about request: Request) -> Bool {
        origins.map { $0.contains(request.origin) || $0.contains(request.receivedOrigin) } ?? true
    }

    func plan(for request: Request) -> StagePlan {
        guard asks(about: request) else { return StagePlan("asks only about requests of another origin") }
        var plan = program.plan(for: request, "its exit status decides")
        if text != nil, let question = program.question(for: request) { plan.text = "asks the user: \(question)" }
        return plan
    }
}

extension Route {
    /// The question that a policy asks in a dialog of the product's own, with its placeholders; nil without one.
    package var question: String? {
        stages.asyncPolicies.lazy.compactMap { ($0.stage as? ConfirmPolicy)?.text }.first
    }

    /// Whether a policy asks the user in a dialog of the product's own.
    package var asksInDialog: Bool {
        stages.asyncPolicies.contains { ($0.stage as? ConfirmPolicy)?.text != nil }
    }
}
