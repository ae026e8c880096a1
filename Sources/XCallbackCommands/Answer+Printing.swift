import XCallbackBuiltIns
import XCallbackJSON
import XCallbackURL

extension Answer {
    /// Prints the answer for people and scripts.
    ///
    /// Values are printed as they are: they are data.
    ///
    /// - Throws: ``Failure`` if it cannot be written.
    func print() throws(Failure) {
        guard isDaemonsOwn else { return try Output.print(url) }
        switch outcome {
        case .success(let items):
            for item in items { try Output.print(item.value.map { "\(item.name)=\($0)" } ?? item.name) }
        case .error(let error):
            Output.printError("error \(error.code.rawValue): \(error.message.withVisibleControls)")
        case .cancel: Output.printError("cancelled")
        case .redirect: try Output.print(url)
        }
    }

    /// The answer for programs.
    var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("outcome", .string(outcome.name)), .init("url", .string(url)),
            .init("items", outcome.items.json),
        ]
        if case .error(let error) = outcome {
            members.append(.init("code", .number(JSONNumber(error.code.rawValue))))
            members.append(.init("message", .string(error.message)))
        }
        return .object(members)
    }
}

extension Answer.Outcome {
    fileprivate var name: String {
        switch self {
        case .success: "success"
        case .error: "error"
        case .cancel: "cancel"
        case .redirect: "redirect"
        }
    }

    /// The result; only a success has one.
    fileprivate var items: QueryItems {
        if case .success(let items) = self { items } else { QueryItems() }
    }
}
