import XCallbackBuiltIns
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// A call whose requests the history keeps.
struct RecordedCall {
    /// The program that called, as the command says; nil if it does not.
    var caller: String?
    /// Whether the request is the answer to another one of the call.
    var isFollowUp = false
}

extension String {
    /// The first code points; a character can have any number of them.
    func cut(to count: Int) -> String { String(unicodeScalars.prefix(count)) }
}

extension Execution {
    /// The numbers of bytes that the history keeps: of the values, which run the action again, and of an answer.
    private static let (valueRoom, answerRoom) = (8_192, 200)

    /// Returns the entry of the history for the request, which has ended.
    ///
    /// Only values that the route declares are kept, so that what a page adds to a link is not; never secrets, nor what came
    /// from another answer.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - time: The time since 1970.
    ///   - duration: How long the request took.
    /// - Returns: An object, which begins with the time.
    func historyEntry(of call: RecordedCall, at time: Duration, after duration: Duration) -> JSONValue {
        let route = request.matchedRoute.flatMap { $0.scheme == "*" ? nil : $0 }
        let (values, omitted, others) = recordedValues(route, call)
        return .object(
            .init(present: [
                "time": .number(JSONNumber(seconds: time)), "id": request.id.map { .string($0.description) },
                "origin": .string(request.receivedOrigin.rawValue),
                "name": request.source.map { .string($0.cut(to: 80)) },
                "caller": call.caller.map { .string($0) },
                "route": route.map { .string($0.name) }, "url": recordedURL(route).map { .string($0) },
                "values": values.isEmpty ? nil : values.json, "omitted": omitted.isEmpty ? nil : .texts(omitted),
                "others": others == 0 ? nil : .whole(others),
                "question": request.isAllowed == nil ? nil : route?.question.map { .string($0) },
                "allowed": request.isAllowed.map { .bool($0) },
                "outcome": .string(response.kind.rawValue), "duration": .number(JSONNumber(seconds: duration)),
            ]) + recordedAnswer(route, call))
    }

    /// The scheme and the host, where the route does not say all.
    private func recordedURL(_ route: Route?) -> String? {
        let url = request.receivedURL ?? request.url
        if route?.pattern.syntax == .callback { return nil }
        return "\(url.scheme):\(url.host.map { "//\($0)" } ?? "")"
    }

    /// The values that are kept, the declared names whose values are not, and the number of all others, whose names can be
    /// anything.
    private func recordedValues(
        _ route: Route?, _ call: RecordedCall
    ) -> (kept: QueryItems, omitted: [String], others: Int) {
        var (kept, omitted, others) = (QueryItems(), [String](), 0)
        guard let route else { return (kept, omitted, others) }
        let isOpen = !request.isRedirected && !call.isFollowUp && route.pattern.syntax == .callback
        var room = Self.valueRoom
        for item in request.parameters {
            let declaration = route.stages.input.declarations.first(named: item.name)
            guard declaration != nil || route.pattern.captures.contains(where: { areEqual($0.name, item.name) }) else {
                others += 1
                continue
            }
            let size = item.name.utf8.count + (item.value?.utf8.count ?? 0)
            if isOpen, declaration?.rule.isSecret != true, size <= room {
                room -= size
                kept.append(item.name, item.value)
            } else if !omitted.contains(item.name) {
                omitted.append(item.name)
            }
        }
        return (kept, omitted, others)
    }

    /// Whether the answer has a value that no history may have, or can have one of an earlier answer.
    var hasSecretAnswer: Bool {
        request.hasSecrets || request.matchedRoute?.chain.hasSecretItems == true
    }

    /// The names and the first characters of the answer; only names if it can have a secret.
    private func recordedAnswer(_ route: Route?, _ call: RecordedCall) -> [JSONValue.Member] {
        let isSecret = request.hasSecrets || request.isRedirected || call.isFollowUp
        switch response {
        case .success(let items):
            var (kept, room) = (QueryItems(), Self.answerRoom)
            for item in items.prefix(64) {
                let isShown = !isSecret && route?.stages.settings.secretItems.contains(item.name) != true
                let value = isShown ? item.value.map { $0.cut(to: room) } : nil
                room -= value?.unicodeScalars.count ?? 0
                kept.append(item.name.cut(to: Self.answerRoom), value)
            }
            return kept.isEmpty ? [] : [.init("answer", kept.json)]
        case .error(let error):
            return .init(present: [
                "code": .whole(error.code.rawValue),
                "message": isSecret ? nil : .string(error.message.cut(to: Self.answerRoom)),
            ])
        case .cancel, .redirect: return []
        }
    }
}
