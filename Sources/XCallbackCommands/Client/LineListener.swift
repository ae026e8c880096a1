import Synchronization
import XCallbackClient
import XCallbackPipeline
package import XCallbackPrograms
import XCallbackURL
import XCallbackWire

/// Receives requests, and exchanges them and their responses as one JSON object per line.
final class LineListener: Sendable {
    private let name: String
    private let daemon: Client
    private let lines: LineChannel
    private let openRequests = Mutex(OpenRequests())

    init(_ name: String, _ daemon: Client, _ lines: LineChannel) {
        self.name = name
        self.daemon = daemon
        self.lines = lines
    }

    /// Handles requests until there are no more lines.
    ///
    /// - Parameter count: The maximum number of requests waiting at a time.
    /// - Throws: ``Failure``, `ClientError` or `CancellationError`.
    func run(receiving count: Int) async throws {
        var sources: [Client.Events<Client.ReceivedRequest>] = []
        for _ in 0..<count {
            sources.append(
                try await ReplyWatch.wait("to deliver requests") { try await daemon.requests(receivedAs: name) })
        }
        try await withThrowingTaskGroup { group in
            for requests in sources { group.addTask { try await self.receive(requests) } }
            group.addTask { try await self.respond() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Passes requests on until the reader closes.
    private func receive(_ requests: Client.Events<Client.ReceivedRequest>) async throws {
        for try await request in requests {
            let isRead = try await lines.write(Array(request.json.visibleText.utf8)) { [self] in
                openRequests.withLock { $0.add(request.id) }
            }
            guard isRead else { return }
        }
    }

    /// Passes responses on until the input ends.
    private func respond() async throws {
        while let line = try await lines.readLine() {
            if line.isEmpty { continue }
            let answer: LineResponse
            do throws(ProgramFailure) {
                answer = try LineResponse(parsing: line)
            } catch {
                // The request of the response is unknown.
                Self.tell(error)
                continue
            }
            if let failure = answer.failure { Self.tell(failure) }
            guard let id = openRequests.withLock({ $0.take(answer.id) }) else {
                Terminal.printError("xcallback: ignored a response without a waiting request")
                continue
            }
            try await daemon.respondOrTell(to: id, with: answer.response)
        }
    }

    private static func tell(_ failure: ProgramFailure) {
        Terminal.printError("xcallback: invalid response: \(failure.description.withVisibleControls)")
    }
}

/// The requests without a response, in the order in which they were passed on.
///
/// Ended requests stay, because a program that answers in order answers them, too.
package struct OpenRequests {
    /// The maximum number of requests.
    package static let limit = 4096

    private var ids: [String] = []
    /// The number of oldest requests that were dropped for lack of room.
    private var forgottenCount = 0

    package init() {}

    /// Adds a request that is passed on.
    package mutating func add(_ id: String) {
        ids.append(id)
        if ids.count > Self.limit {
            ids.removeFirst()
            forgottenCount += 1
        }
    }

    /// Removes the request of a response: the one that the response names, or else the oldest one.
    ///
    /// - Parameter id: The request that the response names; nil if it names none.
    /// - Returns: The request; nil if it is not open.
    package mutating func take(_ id: String?) -> String? {
        if id == nil, forgottenCount > 0 {
            forgottenCount -= 1
            return nil
        }
        guard let id = id ?? ids.first else { return nil }
        ids.removeAll { $0 == id }
        return id
    }
}

/// A response as a line of JSON.
package struct LineResponse {
    /// The request; nil if the line names none.
    package let id: String?
    /// The response to the request.
    let response: Response
    /// The reason why the line is invalid; nil if it is valid.
    let failure: ProgramFailure?
}

extension LineResponse {
    /// Parses a line; an invalid one that names a request becomes an error of that request.
    ///
    /// - Throws: ``ProgramFailure`` if the name of the request is not a text.
    package init(parsing line: [UInt8]) throws(ProgramFailure) {
        let value: JSONValue
        do throws(ProgramFailure) {
            value = try ProgramOutput.object(in: line)
        } catch {
            self.init(id: nil, response: .error(.internalFailure), failure: error)
            return
        }
        let id = value["id"]?.text
        if id == nil, value["id"] ?? .null != .null { throw ProgramFailure("its 'id' is not a string") }
        do throws(ProgramFailure) {
            self.init(id: id, response: try Self.response(value), failure: nil)
        } catch {
            self.init(id: id, response: .error(.internalFailure), failure: error)
        }
    }

    private static func response(_ value: JSONValue) throws(ProgramFailure) -> Response {
        switch value["outcome"]?.text {
        case "success": return .success(try items(value["items"] ?? [:]))
        case "error":
            let code = value["code"]?.integer ?? CallbackError.Code.internalFailure.rawValue
            return .error(CallbackError(CallbackError.Code(rawValue: code), value["message"]?.text ?? ""))
        case "cancel": return .cancel
        default: throw ProgramFailure("its 'outcome' is not 'success', 'error' or 'cancel'")
        }
    }

    /// Decodes the items: the members of an object, or a list of objects with `name` and `value`.
    private static func items(_ value: JSONValue) throws(ProgramFailure) -> QueryItems {
        if case .object(let members) = value { return try ProgramOutput.items(of: members) }
        do throws(ReplyFault) {
            return try QueryItems(reading: value)
        } catch {
            throw ProgramFailure("its 'items' are neither an object nor a list of names and values")
        }
    }
}
