import CLinux
import Glibc
import XCallbackLinux

/// The paths at which a client looks for the daemon's socket.
package struct SocketLocation: Sendable {
    /// The candidate paths, in order: the given path, or those of the user's and the system's daemon.
    package let candidates: [String]

    /// Chooses the candidates.
    ///
    /// - Parameters:
    ///   - option: The path that the caller gives.
    ///   - environment: Returns the value of an environment variable.
    ///   - userID: The user of the client.
    package init(
        option: String?, environment: (String) -> String? = variable,
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
    ///   - environment: Returns the value of an environment variable.
    ///   - userID: The user.
    /// - Returns: The path.
    package static func userPath(
        environment: (String) -> String? = variable, userID: UInt32 = geteuid()
    ) -> String {
        let runtime = environment("XDG_RUNTIME_DIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/run/user/\(userID)"
        return "\(runtime)/xcallbackd/socket"
    }

    /// Returns the path to connect to: the given path, or the first candidate that exists now or did a moment ago.
    ///
    /// - Throws: ``ClientError`` if no path is given and no candidate exists.
    package func path() throws(ClientError) -> String {
        if candidates.count == 1 { return candidates[0] }
        for path in candidates {
            if access(path, F_OK) == 0 || Self.isChanging(path) { return path }
        }
        let paths = candidates.map { "'\($0)'" }.joined(separator: " nor ")
        throw ClientError(.unreachable, "cannot reach the daemon: neither \(paths) exists", missing: candidates)
    }

    /// How long a socket is missing at most while its unit is restarted.
    static let changeTime = Duration.seconds(2)

    /// Whether a missing socket may be back soon, because its folder has just changed.
    static func isChanging(_ path: String) -> Bool {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        let age = xcb_file_age(String(folder))
        // The folder does not exist, or the clock was set back.
        if age < 0 { return false }
        return .nanoseconds(age) < changeTime
    }

    /// Returns advice on how to start the daemon that was not found at some paths.
    package static func startAdvice(for paths: [String]) -> StartAdvice {
        // Without the path it would listen at another path than the expected one.
        let advice =
            paths.count == 1
            ? "start it: run 'xcallbackd --socket \(paths[0].shellWord)'"
            : "start it: run 'xcallbackd', or set XCALLBACK_SOCKET to its socket"
        return StartAdvice(for: paths, byHand: advice)
    }
}
