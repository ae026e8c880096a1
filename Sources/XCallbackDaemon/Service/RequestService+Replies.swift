import Glibc
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackWire

extension RequestService {
    /// Whether a peer has full access: the daemon's user and root do.
    func mayAll(_ peer: Peer) -> Bool { peer.userID == 0 || peer.userID == geteuid() }

    /// Returns the reply to `Status`.
    func statusReply(for peer: Peer, on loop: isolated EventLoop) -> JSONValue {
        let isPrivileged = mayAll(peer)
        return [
            "service": [
                "version": .string(Version.text), "pid": .whole(Int(getpid())), "uid": .whole(Int(geteuid())),
                "socket": .string(site.socket),
                "uptime": .number(JSONNumber(seconds: loop.now - statistics.startTime)),
                "stopping": .bool(life.isStopping), "routes": .whole(configuration.routeCount),
                "faults": .whole(served.faultCount),
            ],
            "total": isPrivileged ? total : .null, "latency": isPrivileged ? statistics.latencies.json : .null,
            "limits": .array(isPrivileged ? limitUses(on: loop) : []),
            "accounts": .array(accounts(of: peer, isPrivileged: isPrivileged, on: loop)),
            "traffic": .array(isPrivileged ? answerer.routeCounts.json : []),
            "receivers": .array(streams.receivers.json(for: isPrivileged ? nil : peer.userID, at: loop.now)),
        ]
    }

    private var total: JSONValue {
        .object(
            answerer.answers.members + [
                .init("connections", .whole(statistics.connectionCounts.all)),
                .init("refused_connections", .whole(statistics.connectionCounts.refused)),
                .init("reloads", .whole(served.reloadCounts.all)),
                .init("failed_reloads", .whole(served.reloadCounts.failed)),
                .init("refused_returns", .whole(answerer.state[OutgoingCalls.self].refusalCount)),
            ])
    }

    /// Returns how much of each limit all accounts use together.
    private func limitUses(on loop: isolated EventLoop) -> [JSONValue] {
        let accounts = loop.accounts
        return Resource.allCases.map { .use(of: $0, accounts[$0], of: accounts.capacity[$0]) }
    }

    /// Returns how much each account uses, for the accounts that a peer may see.
    private func accounts(of peer: Peer, isPrivileged: Bool, on loop: isolated EventLoop) -> [JSONValue] {
        let own = loop.account(of: peer.userID, .socket).name.owner
        let shown = loop.accounts.all(at: loop.time).filter { isPrivileged || $0.name.owner == own }
        return shown.sorted { $0.name.description < $1.name.description }.map { account in
            let uses = Resource.allCases.map { JSONValue.use(of: $0, account[$0], of: account.limit(of: $0)) }
            let userID: JSONValue =
                if case .user(let userID) = account.name.owner { .whole(Int(userID)) } else { .null }
            return ["user": userID, "class": .string(account.name.kind.rawValue), "limits": .array(uses)]
        }
    }

    /// Reloads the configuration and returns the reply to `Reload`.
    func reloadReply(on loop: isolated EventLoop) async -> Result<JSONValue, VarlinkError> {
        let outcome = await withCheckedContinuation { reload($0, on: loop) }
        switch outcome {
        case .loaded(let configuration, let difference)?:
            return .success([
                "routes": .whole(configuration.routeCount), "added": .texts(difference.names(.added)),
                "removed": .texts(difference.names(.removed)), "changed": .texts(difference.names(.changed)),
                "settings": .texts(difference.settings),
                "warnings": .array(configuration.warnings.warnings.map(\.reply)),
            ])
        case .failed(let error)?:
            return .failure(
                VarlinkError("\(RouterInterface.name).NotLoaded", [.init("faults", .array(error.faults.map(\.reply)))]))
        case nil: return .failure(life.isStopping ? .stopping : .noThread)
        }
    }
}

extension RouteDifference {
    fileprivate func names(_ kind: Change.Kind) -> [String] {
        changes.filter { $0.kind == kind }.map(\.route.name)
    }
}

extension VarlinkError {
    /// The daemon is stopping.
    static let stopping = VarlinkError("\(RouterInterface.name).Stopping")
}

extension JSONValue {
    /// Returns how much of a limit is used.
    fileprivate static func use(of resource: Resource, _ used: Int, of limit: Int) -> JSONValue {
        ["name": .string(resource.setting), "used": .whole(used), "limit": .whole(limit)]
    }

    /// Returns an integer.
    static func whole(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
}
