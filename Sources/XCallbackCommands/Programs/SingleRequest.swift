import ArgumentParser
import XCallbackClient
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// The one request for which `xcallback listen --once` waits, such as the link after a login.
struct SingleRequest: Sendable {
    private let name: String
    private let daemon: Client
    private let conditions: QueryItems

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - name: The name of the receiver.
    ///   - daemon: The daemon.
    ///   - conditions: The values that the request must have.
    init(of name: String, _ daemon: Client, conditions: QueryItems) {
        self.name = name
        self.daemon = daemon
        self.conditions = conditions
    }

    /// Waits for the request, and responds to it.
    ///
    /// - Parameters:
    ///   - command: The command, whose program responds; without one, the parameters of the request are printed.
    ///   - limit: The timeout; nil for none.
    /// - Throws: `ExitCode`, ``Failure``, or `ClientError`.
    func handle(_ command: ListenCommand, within limit: Duration?) async throws {
        let (request, deliveries) = try await next(within: limit)
        // Without the stream, the daemon would end the request.
        defer { withExtendedLifetime(deliveries) {} }
        guard command.program.isEmpty else {
            let response = try await command.makeListener(daemon).response(to: request)
            try await daemon.respond(toRequest: request.id, with: response)
            switch response {
            case .success, .redirect: return
            case .error: throw ExitCode(ExitStatus.errorAnswer.rawValue)
            case .cancel: throw ExitCode(ExitStatus.cancelled.rawValue)
            }
        }
        try await daemon.respond(toRequest: request.id, with: .success([:]))
        try print(request.allItems, command.value.name)
    }

    private typealias Delivery = (request: Client.ReceivedRequest, stream: Client.Events<Client.Delivery>)

    private func next(within limit: Duration?) async throws -> Delivery {
        guard let limit else { return try await next() }
        do {
            return try await withTimeout(limit) { try await next() }
        } catch let error as CallbackError where error.code == .timedOut {
            throw Failure(.timedOut, "no request came within \(limit.text)")
        }
    }

    private func next() async throws -> Delivery {
        let key = "\(UInt64.random(in: 0 ... .max))"
        let deliveries = try await ReplyWatch.wait("to deliver requests") {
            try await daemon.deliveries(receivedAs: name, key: key, where: conditions)
        }
        for try await case .request(let request) in deliveries {
            // Otherwise another request could arrive with the response to this one, and nobody would handle it.
            try await daemon.retire(name: name, key: key)
            return (request, deliveries)
        }
        throw CancellationError()
    }

    private func print(_ items: QueryItems, _ name: String?) throws {
        let isError = items.contains { $0.name == "error" }
        if let name, !isError {
            let values = items.filter { $0.name == name }.compactMap(\.value)
            for value in values { try Terminal.print(value) }
            if values.isEmpty {
                throw Failure(.errorAnswer, "the request has no item '\(name.withVisibleControls)' with a value")
            }
        } else if name == nil {
            for item in items { try Terminal.print(item: item) }
        } else {
            let text = items.map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }
            Terminal.printError("xcallback: \(text.joined(separator: ", ").withVisibleControls)")
        }
        if isError { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
    }
}

extension Client.ReceivedRequest {
    /// The parameters, then the items in the fragment.
    fileprivate var allItems: QueryItems {
        var items = parameters
        guard let fragment, let others = try? ActionURL("fragment:?\(fragment)").items else { return items }
        for item in others { items.append(item.name, item.value) }
        return items
    }
}
