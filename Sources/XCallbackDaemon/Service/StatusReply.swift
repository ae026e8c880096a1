import CLinux
import Glibc
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackRouter
import XCallbackWire

extension RequestService {
    /// Returns the reply to `Status`, with whether the files have changed.
    func statusReply(for peer: Peer, areFilesChanged: Bool, on loop: isolated EventLoop) -> JSONValue {
        let (seesAll, statistics) = (peer.hasFullAccess, processor.statistics)
        return [
            "service": [
                "version": .string(Version.text), "pid": .whole(Int(xcb_process_id())), "uid": .whole(Int(geteuid())),
                "socket": .string(site.socket), "uptime": .number(JSONNumber(seconds: loop.now - startTime)),
                "stopping": .bool(life.isStopping), "routes": .whole(served.current.routeCount),
                "faults": .whole(served.faultCount),
                "unserved": .text(seesAll ? served.current.unserved?.summary : nil),
                "changed": .bool(areFilesChanged),
            ],
            "total": seesAll ? total : .null,
            "limits": .array(seesAll ? limitUses(on: loop) : []),
            "accounts": .array(accounts(of: peer, on: loop)),
            "traffic": seesAll ? statistics.traffic : .array([]),
            "history": seesAll ? processor.history?.writer.json ?? .null : .null,
            "requests": .array(awaited(by: peer, on: loop).prefix(100).map(\.json)),
            "receivers": .array(streams.receivers.json(for: seesAll ? nil : peer.userID, at: loop.now)),
        ]
    }

    private var total: JSONValue {
        .object(
            processor.statistics.total.members + [
                .init("connections", .whole(connectionCounts.all)),
                .init("refused_connections", .whole(connectionCounts.refused)),
                .init("reloads", .whole(served.reloadCounts.all)),
                .init("failed_reloads", .whole(served.reloadCounts.failed)),
                .init("refused_returns", .whole(processor.host.calls.refusalCount)),
            ])
    }

    /// Returns how much of each limit all accounts use together.
    private func limitUses(on loop: isolated EventLoop) -> [JSONValue] {
        let accounts = loop.accounts
        return Resource.allCases.map { .use(of: $0, accounts[$0], of: accounts.capacity[$0]) }
    }

    /// Returns how much each account uses, for the accounts that a peer may see.
    private func accounts(of peer: Peer, on loop: isolated EventLoop) -> [JSONValue] {
        let own = loop.account(of: peer.userID, .socket).name.owner
        let shown = loop.accounts.all(at: loop.time).filter { peer.hasFullAccess || $0.name.owner == own }
        return shown.sorted { $0.name.description < $1.name.description }.map { account in
            let uses = Resource.allCases.map { JSONValue.use(of: $0, account[$0], of: account.limit(of: $0)) }
            let userID: JSONValue =
                if case .user(let userID) = account.name.owner { .whole(Int(userID)) } else { .null }
            let left = loop.leftBehind(for: account).sorted { ($0.title, $0.group) < ($1.title, $1.group) }.map {
                ["route": .string($0.title), "group": .whole(Int($0.group)), "unit": .text($0.scope)] as JSONValue
            }
            return [
                "user": userID, "class": .string(account.name.kind.rawValue), "limits": .array(uses),
                "left": .array(left),
            ]
        }
    }
}

extension ConfigurationLoader.Outcome {
    /// The reply to `Reload`.
    var reply: Result<JSONValue, VarlinkError> {
        switch self {
        case .loaded(let configuration, let difference):
            .success([
                "routes": .whole(configuration.routeCount), "added": .texts(difference.names(.added)),
                "removed": .texts(difference.names(.removed)), "changed": .texts(difference.names(.changed)),
                "settings": .texts(difference.settings),
                "warnings": .array(configuration.warnings.warnings.map(\.reply)),
            ])
        case .failed(let error):
            .failure(VarlinkError(ofRouter: "NotLoaded", [.init("faults", .array(error.faults.map(\.reply)))]))
        }
    }
}

extension RouteDifference {
    fileprivate func names(_ kind: Change.Kind) -> [String] {
        changes.filter { $0.kind == kind }.map(\.route.name)
    }
}

extension JSONValue {
    /// Returns how much of a limit is used.
    fileprivate static func use(of resource: Resource, _ used: Int, of limit: Int) -> JSONValue {
        ["name": .string(resource.setting), "used": .whole(used), "limit": .whole(limit)]
    }

    /// Returns an integer.
    static func whole(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
}
