import XCallbackConfiguration
import XCallbackPipeline
import XCallbackWire

/// Accepts the requests of some applications: `app: org.gnome.Evince`, `app: snap.firefox`, or a list.
///
/// The application of a sandbox is enforced. The name of the unit in which the desktop started an application is only
/// advisory, because every process of the user can choose such a name: it counts with
/// `app: { ids: …, advisory: true }`.
struct AppPolicy: ProcessPolicy {
    static let words = (name: "app", kind: "application")
    /// If a sandbox started an assistant, the facts about the assistant's process include that sandbox.
    static let checksAgents = true

    let names: [String]
    private let countsAdvisory: Bool

    var facts: StageFacts {
        var facts = processFacts
        facts.acceptsValues = Set(names)
        return facts
    }

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
    }

    func reasonAgainst(_ process: Int32) -> ProcessRefusal? {
        guard let app = AppIdentity(ofProcess: process) else { return .unknown }
        guard names.contains(where: { areEqual($0, app.name) }) else { return .other }
        return app.isEnforced || countsAdvisory
            ? nil : .reason("only the name of its unit says which application it is from")
    }
}
