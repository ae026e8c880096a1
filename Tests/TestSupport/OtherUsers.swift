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

/// A server of another user, which takes root: it keeps what it receives, and answers nothing.
package final class ForeignServer {
    package let directory: TemporaryDirectory
    package let user = LimitedUser()
    package var socket: String { directory.path(of: "foreign") }
    private let process: ChildProcess

    package init() throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o777)
        self.directory = directory
        let socket = directory.path(of: "foreign")
        process = try ChildProcess(
            user.words + ["/usr/bin/nc", "-l", "-U", socket], output: directory.path(of: "received"),
            error: directory.path(of: "errors"))
        // The flag of sockets that listen: the file is made before.
        try waitUntil("the server listens") {
            try textOfFile("/proc/net/unix").split(separator: "\n").contains {
                $0.hasSuffix(" \(socket)") && $0.contains(" 00010000 ")
            }
        }
    }

    /// Ends the server; returns what it has received.
    package func end() throws -> String {
        process.send(signal: SIGTERM)
        try process.wait()
        return try directory.text(of: "received")
    }
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
