import XCallbackLinux
package import XCallbackPipeline
import XCallbackURL
package import XCallbackWire

extension Explanation {
    /// Returns the explanation as JSON.
    ///
    /// - Parameter showsFiles: Whether to include places in the configuration, commands, and the subjects of policies.
    /// - Returns: An object.
    package func json(showsFiles: Bool = true) -> JSONValue {
        var code: JSONValue = .null
        if case .error(let error)? = response { code = .number(JSONNumber(error.code.rawValue)) }
        return [
            "url": .string(url), "origin": .string(origin.rawValue), "code": code,
            "result": .string(result(showsCommand: showsFiles)),
            "hops": .array(hops.map { $0.json(showsFiles: showsFiles) }), "hints": .texts(hints),
        ]
    }
}

extension Explanation.Hop {
    fileprivate func json(showsFiles: Bool) -> JSONValue {
        [
            "url": .string(url), "action": .string(action), "origin": .string(origin.rawValue),
            "candidates": .array(
                candidates.map { candidate in
                    [
                        "route": .string(candidate.route.name),
                        "place": .text(showsFiles ? candidate.route.place : nil),
                        "verdict": .string(candidate.verdict.rawValue), "reason": .text(candidate.reason),
                    ]
                }),
            "omitted": .number(JSONNumber(omittedCount)), "route": .text(route?.name), "captures": captures.json,
            "stages": .array(stages.map { $0.json(showsFiles: showsFiles) }),
        ]
    }
}

extension Explanation.Stage {
    fileprivate func json(showsFiles: Bool) -> JSONValue {
        let isHidden = plan.text.isEmpty || plan.isPrivate && !showsFiles
        return [
            "kind": .string(kind.rawValue), "name": .string(name), "note": .text(isHidden ? nil : plan.text),
            "command": plan.command.map { showsFiles ? .texts($0) : .null } ?? .null,
        ]
    }
}

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
