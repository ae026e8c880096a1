import Dispatch
import Glibc
import Synchronization
package import XCallbackBuiltIns
import XCallbackClient
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPipeline
import XCallbackURL
import XCallbackWire

/// Receives requests, and exchanges them and their responses as one JSON object per line: with a program that keeps
/// running, or on standard output and input.
///
/// Reading and writing have a thread each, because neither a terminal nor a file can be awaited otherwise.
final class LineListener: Sendable {
    /// The maximum number of bytes in a line.
    private static let lineLimit = 1_048_576

    private let name: String
    private let daemon: Client
    private let program: PipedProgram?
    private let readers = DispatchQueue(label: "xcallback.lines.in")
    private let writers = DispatchQueue(label: "xcallback.lines.out")
    private let input: Mutex<LineReader>
    /// The requests without a response, in the order in which they were passed on.
    ///
    /// Ended requests stay, because a program that answers in order answers them, too.
    private let openRequests = Mutex<[String]>([])

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - name: The name of the receiver.
    ///   - daemon: The daemon.
    ///   - arguments: The program and its arguments; empty for standard output and input.
    /// - Throws: ``Failure`` if the program cannot be started.
    init(_ name: String, _ daemon: Client, running arguments: [String]) throws(Failure) {
        self.name = name
        self.daemon = daemon
        do throws(SystemError) {
            program = arguments.isEmpty ? nil : try PipedProgram(arguments)
        } catch {
            throw Failure(.errorAnswer, "cannot run the program: \(error)")
        }
        input = Mutex(LineReader(program?.output ?? STDIN_FILENO, limit: Self.lineLimit))
    }

    /// Handles requests until there are no more lines, then waits until the program ends.
    ///
    /// - Parameter count: The maximum number of requests waiting at a time.
    /// - Throws: ``Failure``, also if the program has failed; `ClientError` or `CancellationError`.
    func run(receiving count: Int) async throws {
        do {
            var sources: [Client.Events<Client.ReceivedRequest>] = []
            for _ in 0..<count {
                sources.append(
                    try await ReplyWatch.wait("to deliver requests") { try await daemon.requests(receivedAs: name) })
            }
            try await withThrowingTaskGroup { group in
                for requests in sources { group.addTask { try await self.passOn(requests) } }
                group.addTask { try await self.respond() }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch {
            program?.terminate()
            throw error
        }
        switch program?.finish() {
        case nil, .exited(status: 0): break
        case .exited(let status): throw Failure(.errorAnswer, "the program ended with status \(status)")
        case .killed(let signal): throw Failure(.errorAnswer, "signal \(signal) ended the program")
        }
    }

    /// Passes requests on until the reader closes.
    private func passOn(_ requests: Client.Events<Client.ReceivedRequest>) async throws {
        for try await request in requests {
            let line = Array(request.json.visibleText.utf8) + [UInt8(ascii: "\n")]
            let isRead = try await wait(on: writers) { [self] in
                openRequests.withLock { $0.append(request.id) }
                return Terminal.write(line, to: program?.input ?? STDOUT_FILENO) == 0
            }
            guard isRead else { return }
        }
    }

    /// Passes responses on until the input ends.
    private func respond() async throws {
        while true {
            switch try await wait(on: readers, { [self] in try input.withLock { reader in try reader.next() } }) {
            case .end: return
            case .tooLong:
                throw Failure(.errorAnswer, "a line of a response is longer than \(Self.lineLimit) bytes")
            case .whole(let line): if !line.isEmpty { try await respond(with: line) }
            }
        }
    }

    private func respond(with line: [UInt8]) async throws {
        let answer = LineResponse(parsing: line)
        if let failure = answer.failure {
            Terminal.printError("xcallback: invalid response: \(failure.description.withVisibleControls)")
        }
        guard let id = answer.id ?? openRequests.withLock(\.first) else {
            return Terminal.printError("xcallback: ignored a response without a waiting request")
        }
        openRequests.withLock { $0.removeAll { $0 == id } }
        do {
            try await daemon.respond(toRequest: id, with: answer.response)
        } catch let error as ClientError where error.isOfOneRequest {
            Client.printRejected(error)
        }
    }

    /// Waits for a call on a separate thread; a cancelled task leaves the thread behind.
    private func wait<Value: Sendable>(
        on queue: DispatchQueue, _ call: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await Race.result { race in queue.async { @Sendable in race.end(with: Result(catching: call)) } }
    }
}

/// A response as a line of JSON; an invalid one is an error of its request.
package struct LineResponse {
    /// The request; nil if the line names none, so that the oldest one is meant.
    package private(set) var id: String?
    /// The response to the request.
    private(set) var response = Response.error(.internalFailure)
    /// The reason why the line is invalid; nil if it is valid.
    package private(set) var failure: ProgramFailure?

    /// Parses a line.
    package init(parsing line: [UInt8]) {
        do throws(ProgramFailure) {
            let value = try ProgramOutput.object(in: line)
            id = value["id"]?.text
            response = try Self.response(value)
        } catch {
            failure = error
        }
    }

    private static func response(_ value: JSONValue) throws(ProgramFailure) -> Response {
        switch value["outcome"]?.text {
        case "success":
            if case .object(let members) = value["items"] ?? [:] {
                return .success(try ProgramOutput.items(of: members))
            }
            guard let items = try? value["items"].map(QueryItems.init(reading:)) else {
                throw ProgramFailure("its 'items' are neither an object nor a list of names and values")
            }
            return .success(items)
        case "error":
            let code = value["code"]?.integer ?? CallbackError.Code.internalFailure.rawValue
            return .error(CallbackError(CallbackError.Code(rawValue: code), value["message"]?.text ?? ""))
        case "cancel": return .cancel
        default: throw ProgramFailure("its 'outcome' is not 'success', 'error' or 'cancel'")
        }
    }
}
