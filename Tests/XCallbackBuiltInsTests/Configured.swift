import Logging
import Synchronization
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackPrograms
import XCallbackRouter
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// A router that a configuration makes, with a client.
struct Configured {
    let configuration: RouterConfiguration
    var host = TestHost()
    private var programs: ProgramLoop?
    private var execution = Execution(peer: Self.peer, origin: .socket)

    static let peer = Peer(userID: 1000, groupID: 100, processID: 42)

    init(
        _ text: String, dropIns: [String] = [], on programs: ProgramLoop? = nil,
        logger: Logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
    ) throws {
        let dropIns = dropIns.enumerated().map { (name: "d/\($0.offset + 1).yaml", text: $0.element) }
        configuration = try RouterConfiguration(
            text: text, name: "c.yaml", dropIns: dropIns,
            runners: ProgramRunners(on: programs?.loop), logger: logger)
        self.programs = programs
    }

    init(_ configuration: RouterConfiguration) {
        self.configuration = configuration
    }

    /// A router for `notes` with the routes of a text, indented as a list, whose programs run on a loop.
    init(routes: String, on programs: ProgramLoop? = nil) throws {
        try self.init("schemes: [notes, todo]\nroutes:\n\(routes)", on: programs)
    }

    /// The answer to a URL.
    mutating func answer(to text: String, from peer: Peer = peer, origin: Origin = .socket) -> String {
        var output = ByteBuffer()
        let pending = execution.answer(
            text.utf8.span, from: peer, origin: origin, in: configuration.pipeline, host, into: &output)
        if let pending {
            guard inspect() else {
                pending.abandon()
                return "a stage waits"
            }
            execution.write(pending, into: &output)
        }
        return String(decoding: output.contents, as: UTF8.self)
    }

    /// The answer to a URL whose stages wait.
    mutating func answer(awaiting text: String, origin: Origin = .socket) async throws -> String {
        var output = ByteBuffer()
        let pending = execution.answer(
            text.utf8.span, from: Self.peer, origin: origin, in: configuration.pipeline, host, into: &output)
        if let pending {
            while let stage = execution.asyncStage {
                execution.resume(with: await stage.run(host))
                if execution.advance(in: configuration.pipeline, host) { break }
            }
            execution.write(pending, into: &output)
        }
        return String(decoding: output.contents, as: UTF8.self)
    }

    /// Goes on for as long as policies inspect the peer, which the peers of tests do at once; false if another stage waits.
    private mutating func inspect() -> Bool {
        while let stage = execution.asyncStage, execution.request.matchedRoute?.inspectsPeers == true {
            let found = Mutex<AsyncStage.Outcome?>(nil)
            Task.immediate { [host] in
                let outcome = await stage.run(host)
                found.withLock { $0 = outcome }
            }
            guard let outcome = found.withLock({ $0 }) else { return false }
            execution.resume(with: outcome)
            if execution.advance(in: configuration.pipeline, host) { return true }
        }
        return false
    }

    /// The items of an answer, or its code and message, as one text.
    mutating func result(of text: String, from peer: Peer = peer, origin: Origin = .socket) throws -> String {
        try Self.items(of: answer(to: text, from: peer, origin: origin))
    }

    /// The items of the answer to a URL whose stages wait, or its code and message, as one text.
    mutating func result(awaiting text: String, origin: Origin = .socket) async throws -> String {
        try Self.items(of: await answer(awaiting: text, origin: origin))
    }

    private static func items(of answer: String) throws -> String {
        let url = try ActionURL(answer)
        if let code = url.items["errorCode"] { return "\(code) \(url.items["errorMessage"] ?? "")" }
        return url.items.map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }.joined(separator: "|")
    }

    /// The faults of a text and of drop-ins, each as `line:column: message`, without the excerpts; those of the first
    /// drop-in begin with its name, `d/1.yaml:`.
    static func faults(of text: String, dropIns: [String] = []) -> [String] {
        do {
            _ = try Configured(text, dropIns: dropIns)
            return []
        } catch let error as ConfigurationError {
            return error.faults.map { fault in
                let other = fault.other.map { "; \($0.role) at \($0.place)" } ?? ""
                return "\(fault.place): \(fault.message)\(other)".replacing("c.yaml:", with: "")
            }
        } catch {
            return ["\(error)"]
        }
    }
}

/// A loop on which programs run.
final class ProgramLoop {
    let loop: EventLoop

    init() throws {
        loop = try EventLoop(label: "programs")
        loop.start()
    }

    deinit {
        Task { [loop] in await loop.stop() }
    }
}

extension Route {
    /// Whether only policies that inspect the peer can wait.
    fileprivate var inspectsPeers: Bool { stages.policies.contains(where: \.facts.inspectsPeer) }
}
