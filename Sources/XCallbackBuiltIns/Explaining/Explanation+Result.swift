import XCallbackLinux
import XCallbackPipeline
import XCallbackURL

extension Explanation {
    /// Returns what the request would come to.
    ///
    /// - Parameter showsCommand: Whether the reader may see the arguments of programs.
    /// - Returns: A sentence without a full stop; an error without its code.
    func result(showsCommand: Bool) -> String {
        switch response {
        case .error(let error): return hops.last.flatMap { $0.reason(for: error, among: schemes) } ?? error.message
        case .success(let items):
            let texts = items.map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }
            return "answers" + (texts.isEmpty ? "" : " \(texts.joined(separator: ", "))") + condition
        case .redirect(let target): return "redirects to \(target.text)\(condition)"
        case .cancel: return "cancels\(condition)"
        case nil: return handling(showsCommand: showsCommand) + condition
        }
    }

    /// What the handler would do.
    private func handling(showsCommand: Bool) -> String {
        guard let hop = hops.last, let handler = hop.stages.last else { return "" }
        if hop.route?.stages.handler.facts.runsProgram == true {
            let command = showsCommand ? handler.plan.command : nil
            return "runs " + (command?.map(\.shellWord).joined(separator: " ") ?? "a program")
        }
        return handler.plan.text.isEmpty ? "reaches its handler '\(handler.name)'" : handler.plan.text
    }

    /// The policies on the way, as the end of a sentence.
    private var condition: String {
        var names: [String] = []
        for stage in hops.flatMap(\.stages) where stage.kind == .policy && !names.contains(stage.name) {
            names.append(stage.name)
        }
        let quoted = names.map { "'\($0)'" }
        guard let last = quoted.last else { return "" }
        if quoted.count == 1 { return ", if policy \(last) allows it" }
        return ", if policies \(quoted.dropLast().joined(separator: ", ")) and \(last) allow it"
    }
}

extension Explanation.Hop {
    /// Returns the reason why no route answers; nil after any other error.
    fileprivate func reason(for error: CallbackError, among schemes: [String]) -> String? {
        switch error {
        case .unknownScheme: scheme.unknown(among: schemes)
        case .unknownAction: candidates.closest(to: segments)
        default: nil
        }
    }
}
