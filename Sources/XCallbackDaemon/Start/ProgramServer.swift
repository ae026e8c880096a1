package import Logging
import XCallbackBuiltIns
package import XCallbackConfiguration
package import XCallbackEventLoop
package import XCallbackLinux
import XCallbackPipeline
import XCallbackSystemd
import XCallbackURL
package import XCallbackWire

/// Runs one program of the configuration for the system's router, and ends with it: it serves one connection and one call.
package final class ProgramServer: LoopService, Session {
    package let account = Account()
    private let locations: Locations
    private let ownership: FileOwnership
    private let callerID: UInt32
    // Set by xcallbackd-run@.service: sd_pid_get_unit(3) would need to see process 1, which ProtectProc= hides.
    private let unit = variable("XCALLBACK_UNIT")
    private let logger: Logger
    private let report: @Sendable (ConfigurationError) -> Void
    /// The connection, until it closes.
    private var id: ConnectionID?
    private var frames = FrameReader(limit: ProgramServerCall.sizeLimit)
    private var hasCalled = false
    /// Whether a detached program is being started or is running, which outlives the connection.
    private var hasDetached = false
    /// The replies that are not written yet.
    private var replies: [JSONValue] = []
    private var isLast = false

    /// Creates a server for the programs of a configuration; each call reads the files of its route again.
    ///
    /// - Parameters:
    ///   - locations: The locations of the configuration and the router's socket.
    ///   - ownership: The required owner of the configuration.
    ///   - callerID: The user who may call, in addition to root.
    ///   - logger: Logs rejected calls.
    ///   - report: Reports all faults of the configuration to people.
    package init(
        _ locations: Locations, ownership: FileOwnership, callerID: UInt32, logger: Logger,
        report: @escaping @Sendable (ConfigurationError) -> Void
    ) {
        self.locations = locations
        self.ownership = ownership
        self.callerID = callerID
        self.logger = logger
        self.report = report
    }

    package func open(
        _ connection: ConnectionID, from credentials: Credentials, as kind: AccountClass, on loop: isolated EventLoop
    ) -> (any Session)? {
        guard [0, callerID].contains(credentials.userID), id == nil else {
            refuse("the caller is not the router", ["peer.uid": "\(credentials.userID)"])
            return nil
        }
        id = connection
        return self
    }

    package func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        var consumed = 0
        if !hasCalled {
            switch frames.next(in: input, from: 0) {
            case .incomplete(let position): return Progress(consumed: position, need: .input)
            case .tooLong: refuse("the call is too long")
            case .frame(let frame, let next):
                consumed = next
                read(input.extracting(frame), on: loop)
            }
        }
        for reply in replies {
            output.append(reply.bytes.span)
            output.append(0)
        }
        replies = []
        return Progress(consumed: consumed, need: isLast || !hasCalled ? .close : .event)
    }

    private func read(_ text: Span<UInt8>, on loop: isolated EventLoop) {
        guard let message = try? JSONValue(parsing: text, maximumSize: text.count), message["parameters"] != nil else {
            return refuse("the message is not a call")
        }
        hasCalled = true
        var metadata: Logger.Metadata = [:]
        do throws(ProgramServerRefusal) {
            let call = try ProgramServerCall(message["parameters"])
            metadata = ["route.pattern": "\(call.route.identity.prefix(256))"]
            if let id = call.request?.id { metadata["request.id"] = "\(id)" }
            let command = try command(for: call)
            Task.immediate(executorPreference: loop.executor) { await run(command, on: loop) }
        } catch {
            refuse(error.reason, metadata)
            reply(error.reply, isLast: true, on: loop)
        }
    }

    /// Makes the command of a call, only from the configuration and the values that the request provides for its
    /// placeholders.
    private func command(for call: ProgramServerCall) throws(ProgramServerRefusal) -> ChildCommand {
        let configuration: RouterConfiguration
        do throws(ConfigurationError) {
            configuration = try RouterConfiguration(
                only: call.route, in: locations.configuration, ownership: ownership, logger: logger)
        } catch {
            if error.count > 0 { report(error) }
            throw .changedRoute(faults: error.count, unit: unit)
        }
        let command: ChildCommand?
        do throws(CallbackError) {
            command = try configuration.command(
                of: call.kind, at: call.position, in: call.route.identity, for: call.request, socket: locations.socket)
        } catch {
            throw ProgramServerRefusal(error)
        }
        guard let command else { throw .noSuchProgram }
        return command
    }

    /// Runs a program until it ends, or until the connection closes if it is not detached.
    private func run(_ command: ChildCommand, on loop: isolated EventLoop) async {
        hasDetached = command.isDetached
        // Only the loop calls the closure.
        nonisolated(unsafe) let server = self
        do {
            if let unit, !hasDetached { reply(["parameters": ["unit": .string(unit)]], on: loop) }
            var result = try await loop.run(command) {
                loop.assumeIsolated { if command.isDetached { server.noteDetached(on: $0) } }
            }
            result.unit = unit
            if hasDetached { isLast = true } else { reply(["parameters": result.json], isLast: true, on: loop) }
        } catch let error as SystemError {
            reply(ProgramServerRefusal.notStarted(error).reply, isLast: true, on: loop)
        } catch {
            // A cancelled call gets no reply.
        }
        hasDetached = false
        if let id { loop.wake(id) }
        stopIfUnused(loop)
    }

    /// Handles the start of a detached program, which may run longer than the unit's time limit, and than the connection.
    private func noteDetached(on loop: isolated EventLoop) {
        reply(["parameters": [:]], on: loop)
        do {
            try ServiceManager().extendTimeout(by: .seconds(315_360_000))
        } catch {
            logger.warning("the program may end with its unit", metadata: ["error": "\(error)"])
        }
    }

    private func reply(_ message: JSONValue, isLast: Bool = false, on loop: isolated EventLoop) {
        replies.append(message)
        self.isLast = self.isLast || isLast
        if let id { loop.wake(id) }
    }

    private func refuse(_ reason: String, _ metadata: Logger.Metadata = [:]) {
        logger.warning("rejected a call: \(reason)", metadata: metadata)
    }

    package func closed(on loop: isolated EventLoop) {
        id = nil
        stopIfUnused(loop)
    }

    /// Ends the server once it has neither a router nor a detached program.
    private func stopIfUnused(_ loop: isolated EventLoop) {
        if id == nil, !hasDetached { loop.stop() }
    }

    package func receive(signal: Int32, on loop: isolated EventLoop) { loop.stop() }

    package func acceptFailed(_ error: SystemError, on loop: isolated EventLoop) {}
}
