import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Lets the requests of some applications pass: `app: org.gnome.Evince`, `app: snap.firefox`, or a list.
///
/// What a sandbox says of its application is enforced. The name of the unit in which the desktop has started it is only
/// advisory, as every process of the user can choose such a name: it counts with
/// `app: { ids: …, advisory: true }`.
struct AppPolicy: Policy, ConfiguredStage {
    static var traits: StageTraits { .judgesClient }

    private let names: [String]
    private let countsAdvisory: Bool

    var usesParameters: Bool { false }

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("the id of an application, or a list of ids") else { return nil }
        var names = node
        var countsAdvisory = false
        if case .mapping = node.content {
            guard let reader = MappingReader(node, of: "an 'app' policy", faults: source.faults) else { return nil }
            let ids = reader.requiredNode("ids")
            countsAdvisory = reader.bool("advisory") ?? false
            reader.finish()
            guard let ids else { return nil }
            names = ids
        }
        guard let texts = names.strings(source.faults) else { return nil }
        if texts.isEmpty { source.faults.report("expected at least one application", at: names.place) }
        for text in texts where text.isEmpty || text.contains("/") || text.hasSuffix(".desktop") {
            source.faults.report(
                "expected the id of an application, such as org.gnome.Evince or snap.firefox, found \(text.quoted)",
                at: names.place)
        }
        self.names = texts
        self.countsAdvisory = countsAdvisory
        source.surroundings.looksIntoPeers = true
    }

    func verify(_ request: Request, _ state: inout PipelineState) -> Verdict {
        // The peer has only opened the URL; who wrote it is not known.
        if request.receivedOrigin == .desktop {
            return .failed(
                .refusal(by: "app", "it came through the desktop, which hides the application that it is from"))
        }
        let app = state.peers?.withProcess(of: request.peer) { ProcessFacts.app(of: $0) }
        guard let app else {
            return .failed(.refusal(by: "app", "nobody can tell which application it is from"))
        }
        guard names.contains(app.name) else { return .failed(.refusal(by: "app", "it is for other applications")) }
        return app.isEnforced || countsAdvisory
            ? .verified
            : .failed(.refusal(by: "app", "only the name of its unit says which application it is from"))
    }
}

extension AppPolicy: RehearsedStage {
    /// Says what the policy would, if there is a process at the other end of a connection.
    func rehearse(_ request: inout Request, _ state: inout PipelineState) -> Rehearsal {
        if request.peer.connection == nil, request.receivedOrigin != .desktop {
            return Rehearsal(
                .open,
                notes: ["lets \(names.joined(separator: ", ")) pass; which application sends it is not known now"])
        }
        switch verify(request, &state) {
        case .verified: return Rehearsal(.proceeds)
        case .failed(let error): return Rehearsal(.ends(.error(error)))
        }
    }
}
