import XCallbackClient
import XCallbackPipeline
import XCallbackURL
import XCallbackWire

extension Client.Answer {
    /// Prints the answer for people and scripts.
    ///
    /// Control characters in values are made visible, so that their author cannot forge lines or control a terminal.
    ///
    /// - Throws: ``Failure`` if standard output cannot be written.
    func print() throws(Failure) {
        guard isDaemonsOwn else { return try Terminal.print(url) }
        switch response {
        case .success(let items):
            for item in items {
                let line = item.value.map { "\(item.name)=\($0)" } ?? item.name
                try Terminal.print(line.withVisibleControls)
            }
        case .error(let error):
            // An error that the caller did not cause is found in the log by the request's ID.
            let isServerError = (500..<600).contains(error.code.rawValue)
            let request = isServerError ? id.map { " (request \($0.withVisibleControls))" } ?? "" : ""
            Terminal.printError("error \(error.code.rawValue): \(error.message.withVisibleControls)\(request)")
            if let cause { Terminal.printError("cause: \(cause.withVisibleControls)") }
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
