import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackRouter
import XCallbackWire

/// The clients that get streams of replies: receivers, subscribers, and those that watch requests or routes; lives on the
/// event loop.
final class ClientStreams {
    /// The receivers and the deliveries to them.
    let receivers: Receivers
    /// The subscriptions to topics.
    var subscriptions: Subscriptions { processor.host.subscriptions }
    private let processor: RequestProcessor
    private let served: ServedConfiguration
    private let inspections: Inspections
    /// The clients that watch the routes.
    private var catalogueWatches: [ConnectionID: CatalogueWatch] = [:]
    /// All streams.
    private var all: [ConnectionID: ReplyStream] = [:]
    private var isStopping = false

    init(
        _ receivers: Receivers, _ processor: RequestProcessor, _ served: ServedConfiguration,
        _ inspections: Inspections
    ) {
        self.receivers = receivers
        self.processor = processor
        self.served = served
        self.inspections = inspections
    }

    /// Adds a stream of replies.
    ///
    /// - Throws: ``Excess`` if there are too many streams.
    func add(_ stream: ReplyStream) throws(Excess) {
        do throws(Excess) {
            try stream.account.take(.streams)
        } catch {
            stream.close()
            throw error
        }
        all[stream.connection] = stream
        if isStopping { stream.end(with: .stopping) }
    }

    /// Sends the routes to a client, and again when they change.
    func watchRoutes(_ watch: CatalogueWatch, on loop: isolated EventLoop) {
        catalogueWatches[watch.stream.connection] = watch
        watch.stream.refill = { [weak watch] in watch?.proceed(on: loop) }
        watch.proceed(on: loop)
    }

    /// Removes a stream of replies.
    func remove(_ stream: ReplyStream, on loop: isolated EventLoop) {
        guard all.removeValue(forKey: stream.connection) != nil else { return }
        stream.account.give(.streams)
        stream.close()
        catalogueWatches[stream.connection] = nil
        processor.monitor.remove(stream.connection)
        subscriptions.remove(stream.connection)
        receivers.remove(stream, on: loop)
    }

    /// Ends all streams and deliveries because the daemon stops.
    func stop(on loop: isolated EventLoop) {
        isStopping = true
        for stream in all.values { stream.end(with: .stopping) }
        receivers.stop(on: loop)
    }

    /// Sends a receiver in which ways its types differ from the configuration, if any, and when none differ anymore.
    func compareTypes(of stream: ReplyStream, on loop: isolated EventLoop) {
        guard let name = stream.name, !stream.routes.isEmpty else { return }
        inspections.add(for: stream.connection, of: stream.account.name.owner, on: loop) { [served] in
            { [configuration = served.current, routes = stream.routes, peer = stream.peer] in
                let differences = configuration.differences(from: routes, deliveredTo: name).map { difference in
                    // The place is for those who may see the configuration.
                    peer.hasFullAccess ? difference.description : difference.message
                }
                return differences.isEmpty ? [] : JSONValue.object([.init("differences", .texts(differences))]).bytes
            }
        } reply: { reply in
            guard case .success(let bytes) = reply, stream.isDiffering || !bytes.isEmpty else { return }
            stream.isDiffering = !bytes.isEmpty
            stream.add(bytes.isEmpty ? Array(#"{"differences":[]}"#.utf8) : bytes)
        }
    }

    /// Handles a new configuration: ends receiving and subscriptions that are no longer allowed, and sends changed routes.
    func configurationChanged(_ difference: RouteDifference?, on loop: isolated EventLoop) {
        for stream in all.values {
            guard let name = stream.name else { continue }
            check(stream.peer, on: loop) { (names) throws(VarlinkError) in
                try names.conditions(for: stream.peer, toReceiveAs: name)
            } done: { [self] error in
                receivers.retire(stream, with: error, on: loop)
            }
            compareTypes(of: stream, on: loop)
        }
        for (stream, topics) in subscriptions.all.values {
            check(stream.peer, on: loop) { (names) throws(VarlinkError) in
                try names.conditions(for: stream.peer, toSubscribeTo: topics)
            } done: { error in
                if let error { stream.end(with: error) }
            }
        }
        for watch in catalogueWatches.values { watch.configurationChanged(difference, on: loop) }
    }
}

// MARK: - Who may

extension ClientStreams {
    /// Determines whether a peer is allowed to do something: at once, unless a policy must inspect the peer's process.
    ///
    /// - Parameters:
    ///   - peer: The peer.
    ///   - loop: The loop of the caller.
    ///   - conditions: Returns the conditions; called again if the configuration is replaced in the meantime.
    ///   - done: Receives the error; nil if the peer satisfies the conditions or has full access.
    func check(
        _ peer: Peer, on loop: isolated EventLoop,
        _ conditions: @escaping (ClientNames) throws(VarlinkError) -> Conditions,
        done: @escaping (VarlinkError?) -> Void
    ) {
        do throws(VarlinkError) {
            _ = try conditions(served.names)
        } catch {
            return done(error)
        }
        if peer.hasFullAccess { return done(nil) }
        Task.immediate(executorPreference: loop.executor) {
            var number: Int
            var error: VarlinkError?
            repeat {
                number = served.number
                error = await refusal(by: conditions, on: loop)
            } while number != served.number
            done(error)
        }
    }

    private func refusal(
        by conditions: (ClientNames) throws(VarlinkError) -> Conditions, on loop: isolated EventLoop
    ) async -> VarlinkError? {
        do throws(VarlinkError) {
            for (request, policies) in try conditions(served.names) where await satisfies(request, policies, on: loop) {
                return nil
            }
            return .permissionDenied
        } catch {
            return error
        }
    }

    private func satisfies(
        _ request: Request, _ policies: [Route.PolicyStage], on loop: isolated EventLoop
    ) async -> Bool {
        // Policies that inspect the peer come first, because others record the requests that they allow.
        for case .asynchronous(let policy) in policies {
            guard await policy.verify(request, processor.host) == nil else { return false }
        }
        return policies.allSatisfy { policy in
            guard case .immediate(let policy) = policy else { return true }
            return policy.verify(request, processor.host) == .verified
        }
    }
}
