import XCallbackClient
import XCallbackPipeline
import XCallbackURL
import XCallbackWire

extension Client.Answer {
    /// Prints the answer for people and scripts.
    ///
    /// Control characters in values are made visible, so that their author cannot control a terminal. Further lines of a value
    /// are indented, so that they cannot pass for items.
    ///
    /// - Throws: ``Failure`` if standard output cannot be written.
    func print() throws(Failure) {
        guard isDaemonsOwn else { return try Terminal.print(url) }
        switch response {
        case .success(let items): for item in items { try Terminal.print(item: item) }
        case .error(let error): Terminal.printError(error.line(of: self))
        case .cancel: Terminal.printError("cancelled")
        case .redirect: try Terminal.print(url)
        }
    }

    /// Whether the URL is the daemon's own, of which only the meaning matters.
    private var isDaemonsOwn: Bool {
        let own = "\(CallbackRules.answerScheme)://x-callback-url/\(response.kind.rawValue)"
        return url == own || url.hasPrefix("\(own)?")
    }

    /// The answer as JSON.
    var json: JSONValue {
        let items =
            switch response {
            case .success(let items): items
            case .error(let error): error.items
            case .cancel, .redirect: QueryItems()
            }
        var members: [JSONValue.Member] = [
            .init("outcome", .string(response.kind.rawValue)), .init("url", .string(url)), .init("items", items.wire),
            .init("by", .string(author.rawValue)),
        ]
        if let cause { members.append(.init("cause", .string(cause))) }
        if let id { members.append(.init("id", .string(id))) }
        if case .error(let error) = response { members += error.members }
        return .object(members)
    }
}

extension CallbackError {
    /// The message, with the code at the end and, on a line of its own, the cause.
    ///
    /// - Parameter cause: The cause, if the daemon has sent it. The last line of a program that wrote no message is the
    ///   message.
    /// - Returns: One line, or two.
    func text(cause: String?) -> String { text(cause: cause, facts: "") }

    /// The line for people on standard error.
    fileprivate func line(of answer: Client.Answer) -> String {
        // An error that the caller did not cause is found in the log by the request's ID.
        let request = (500..<600).contains(code.rawValue) ? answer.id.map { ", request \($0)" } ?? "" : ""
        return "error: " + text(cause: answer.cause, facts: request)
    }

    private func text(cause: String?, facts: String) -> String {
        // A cause that says all that the message says.
        let replacesMessage = self == .unknownScheme || message == "The program ended with status \(code.rawValue)."
        let sentence = replacesMessage ? cause ?? message : message
        let rest = replacesMessage ? nil : cause
        let number = "(\(code.rawValue)\(facts))"
        let line = (sentence.isEmpty ? number : "\(sentence) \(number)").withVisibleControls
        return line + (rest.map { "\ncause: \($0.withVisibleControls)" } ?? "")
    }
}
