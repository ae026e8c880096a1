import CLinux
import Glibc
package import XCallbackLinux

/// Where a client looks for the daemon's socket.
package struct SocketLocation: Sendable {
    /// The places to look at, in order: one if it is given, else the user's and the system's.
    package let candidates: [String]

    /// Chooses the places.
    ///
    /// - Parameters:
    ///   - option: The path that the caller gives.
    ///   - environment: Looks a variable of the environment up.
    ///   - userID: The user that runs the client.
    package init(
        option: String?, environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } },
        userID: UInt32 = geteuid()
    ) {
        func variable(_ name: String) -> String? {
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        if let given = option ?? variable("XCALLBACK_SOCKET") {
            candidates = [given]
        } else {
            candidates = [Self.userPath(environment: environment, userID: userID), Self.systemPath]
        }
    }

    /// The socket of the system's daemon.
    package static let systemPath = "/run/xcallbackd/socket"

    /// The socket of a user's daemon.
    ///
    /// - Parameters:
    ///   - environment: Looks a variable of the environment up.
    ///   - userID: The user.
    /// - Returns: Its path.
    package static func userPath(
        environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } },
        userID: UInt32 = geteuid()
    ) -> String {
        let runtime = environment("XDG_RUNTIME_DIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/run/user/\(userID)"
        return "\(runtime)/xcallbackd/socket"
    }

    /// The path to connect to: the one that is given, else the first that exists now, or did a moment ago.
    ///
    /// - Throws: ``ClientError`` if nothing is given and nothing exists.
    package func path() throws(ClientError) -> String {
        if candidates.count == 1 { return candidates[0] }
        for path in candidates {
            if access(path, F_OK) == 0 || Self.isChanging(path) { return path }
        }
        let paths = candidates.map { "'\($0)'" }.joined(separator: " nor ")
        throw ClientError(.unreachable, "cannot reach the daemon: neither \(paths) exists", missing: candidates)
    }

    /// For how long a socket is away at most when its unit is restarted.
    static let changeTime = Duration.seconds(2)

    /// Whether a socket that is not there may be there again soon: something in its folder has just changed.
    static func isChanging(_ path: String) -> Bool {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        let age = xcb_file_age(String(folder))
        // There is no folder, or the clock was set back.
        if age < 0 { return false }
        return .nanoseconds(age) < changeTime
    }

    /// How to get a daemon that was looked for at some paths.
    package static func startAdvice(for paths: [String]) -> StartAdvice {
        // Without the path it would listen elsewhere than it was looked for.
        let advice =
            paths.count == 1
            ? "start it: run 'xcallbackd --socket \(paths[0].shellWord)'"
            : "start it: run 'xcallbackd', or set XCALLBACK_SOCKET to its socket"
        return StartAdvice(for: paths, byHand: advice)
    }
}
