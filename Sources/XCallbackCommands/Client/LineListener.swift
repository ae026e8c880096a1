import Synchronization
import XCallback
import XCallbackJSON
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

/// Receives requests and lets somebody respond who reads and writes a JSON object a line.
final class LineListener: Sendable {
    private let name: String
    private let daemon: Client
    private let lines: LineChannel
    /// How many requests wait for a response at most, those that have ended meanwhile among them.
    private static let limit = 4096

    /// The requests without a response, in the order in which they were passed on.
    ///
    /// Those that have ended stay, because a program that answers one after the other answers them too.
    private let openIDs = Mutex<[String]>([])

    init(_ name: String, _ daemon: Client, _ lines: LineChannel) {
        self.name = name
        self.daemon = daemon
        self.lines = lines
    }

    /// Handles requests until there are no more lines.
    ///
    /// - Parameter count: How many may be waiting at a time.
    /// - Throws: ``Failure``, `ClientError` or `CancellationError`.
    func run(receiving count: Int) async throws {
        var sources: [Client.Events<Client.ReceivedRequest>] = []
        for _ in 0..<count { sources.append(try await daemon.requests(receivedAs: name)) }
        try await withThrowingTaskGroup { group in
            for requests in sources { group.addTask { try await self.receive(requests) } }
            group.addTask { try await self.respond() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Passes requests on until nobody reads them any more.
    private func receive(_ requests: Client.Events<Client.ReceivedRequest>) async throws {
        for try await request in requests {
            let isRead = try await lines.write(request.json.bytes) { [self] in
                openIDs.withLock { ids in
                    ids.append(request.id)
                    if ids.count > Self.limit { ids.removeFirst() }
                }
            }
            guard isRead else { return }
        }
    }

    /// Passes responses on until there are no more.
    private func respond() async throws {
        while let line = try await lines.readLine() {
            if line.isEmpty { continue }
            let answer: LineResponse
            do throws(ProgramFailure) {
                answer = try LineResponse(parsing: line)
            } catch {
                Terminal.printError("xcallback: a response is not understood: \(error.description.withVisibleControls)")
                answer = LineResponse(id: nil, response: .error(.internalFailure))
            }
            guard let id = takeID(answer.id) else {
                Terminal.printError("xcallback: a response comes though no request waits for one")
                continue
            }
            try await daemon.respondOrTell(to: id, with: answer.response)
        }
    }

    /// The request that a response is for: the one that it names, or else the oldest one.
    private func takeID(_ id: String?) -> String? {
        openIDs.withLock { ids in
            guard let id = id ?? ids.first else { return nil }
            ids.removeAll { $0 == id }
            return id
        }
    }
}

/// A response as a line of JSON.
struct LineResponse {
    /// The request; nil if the line does not say.
    let id: String?
    /// What the request ends in.
    let response: Response
}

extension LineResponse {
    /// Parses a line.
    ///
    /// - Throws: ``ProgramFailure`` if it is no object with an outcome.
    init(parsing line: [UInt8]) throws(ProgramFailure) {
        let value = try ProgramOutput.object(in: line)
        id = value["id"]?.text
        switch value["outcome"]?.text {
        case "success": response = .success(try Self.items(value["items"] ?? [:]))
        case "error":
            let code = value["code"]?.integer ?? CallbackError.Code.internalFailure.rawValue
            response = .error(CallbackError(CallbackError.Code(rawValue: code), value["message"]?.text ?? ""))
        case "cancel": response = .cancel
        default: throw ProgramFailure("its 'outcome' is neither 'success' nor 'error' nor 'cancel'")
        }
    }

    /// The items: the members of an object, or a list of objects with `name` and `value`.
    private static func items(_ value: JSONValue) throws(ProgramFailure) -> QueryItems {
        if case .object(let members) = value { return try ProgramOutput.items(of: members) }
        do throws(ReplyFault) {
            return try QueryItems(reading: value)
        } catch {
            throw ProgramFailure("its 'items' are neither an object nor a list of names and values")
        }
    }
}
