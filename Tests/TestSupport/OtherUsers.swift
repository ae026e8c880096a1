package import Glibc
package import XCallbackTesting

/// A user without processes, to whom the limits of threads and processes apply, unlike to root.
package struct LimitedUser {
    package let id = uid_t.random(in: 100_000...900_000_000)

    package init() {}

    /// The command that runs a program as this user.
    package var words: [String] { ["/usr/bin/setpriv", "--reuid", "\(id)", "--regid", "\(id)", "--clear-groups"] }

    /// Returns the command that runs a program as this user, with a limit of threads.
    package func words(threads count: Int) -> [String] { words + ["/usr/bin/prlimit", "--nproc=\(count):\(count)"] }
}

extension RunningDaemon {
    /// Lets every user reach the socket, as the system's daemon does.
    package func admitOtherUsers() {
        chmod(directory.path, 0o755)
        chmod(socket, 0o666)
    }

    /// Starts a daemon for all users, of whom user 64000 owns the user IDs from 200000 to 265535.
    package static func withSubordinateUsers(_ configuration: String) throws -> RunningDaemon {
        let directory = try TemporaryDirectory()
        let ranges = try directory.write("64000:200000:65536\n", to: "subuid")
        let script = "mount --bind \(ranges) /etc/subuid; exec \"$0\" \"$@\""
        let daemon = try RunningDaemon(
            starting: configuration, in: directory, under: ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script])
        try daemon.waitUntilReady()
        daemon.admitOtherUsers()
        return daemon
    }
}
