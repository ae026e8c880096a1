package import XCallbackPipeline
package import XCallbackURL
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

extension Peer {
    /// The process as a JSON object.
    package var json: JSONValue {
        [
            "uid": .number(JSONNumber(userID)), "gid": .number(JSONNumber(groupID)),
            "pid": .number(JSONNumber(processID)),
        ]
    }
}

extension QueryItems {
    /// The items as a JSON array of objects with `name` and `value`.
    package var json: JSONValue {
        .array(map { ["name": .string($0.name), "value": .text($0.value)] })
    }
}

extension JSONValue {
    /// Returns a text, or `null` without a text.
    package static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// Returns an array of texts.
    package static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
