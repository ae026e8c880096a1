package import XCallbackJSON
package import XCallbackPipeline
package import XCallbackURL

extension Explanation {
    /// Returns the explanation as JSON.
    ///
    /// - Parameter showsFiles: Whether to include places in the configuration, commands, and the subjects of policies.
    /// - Returns: An object.
    package func json(showsFiles: Bool = true) -> JSONValue {
        [
            "url": .string(url), "origin": .string(origin.rawValue), "peer": peer.json,
            "fault": fault.map { Response.error($0).json } ?? .null,
            "hops": .array(hops.map { $0.json(showsFiles: showsFiles) }),
            "response": response?.json ?? .null, "certain": .bool(isCertain),
            "answers": .array(
                answers.map { answer in
                    [
                        "outcome": .string(answer.outcome.rawValue), "url": .string(answer.url),
                        "complete": .bool(answer.isComplete),
                    ]
                }),
            "hints": .texts(hints),
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
            "parameters": parameters?.json ?? .null,
            "response": response?.json ?? .null,
        ]
    }
}

extension Explanation.StageReport {
    fileprivate func json(showsFiles: Bool) -> JSONValue {
        let (verdict, response): (String, JSONValue) =
            switch rehearsal.outcome {
            case .proceeds: ("proceeds", .null)
            case .ends(let response): ("ends", response.json)
            case .open: ("open", .null)
            }
        return [
            "kind": .string(kind.rawValue), "name": .string(name), "verdict": .string(verdict), "response": response,
            "notes": .texts(rehearsal.notes + (showsFiles ? rehearsal.hiddenNotes : [])), "changes": .texts(changes),
            "command": rehearsal.command.map { showsFiles ? .texts($0) : .null } ?? .null,
        ]
    }
}

extension Response {
    /// The response as a JSON object.
    fileprivate var json: JSONValue {
        let outcome = JSONValue.string(kind.rawValue)
        switch self {
        case .success(let items): return ["outcome": outcome, "items": items.json]
        case .error(let error):
            return [
                "outcome": outcome, "code": .number(JSONNumber(error.code.rawValue)), "message": .string(error.message),
            ]
        case .cancel: return ["outcome": outcome]
        case .redirect(let target): return ["outcome": outcome, "url": .string(target.text)]
        }
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
