import Glibc
import XCallback

/// Whether others than those who may can get at the daemon's socket.
enum SocketCheck {
    /// Looks at the socket's file and at the folder around it.
    ///
    /// - Parameter path: The socket, if the command line names one.
    /// - Returns: What was found.
    static func findings(of path: String?) -> [Finding] {
        // That there is none is told by whoever wants to connect.
        guard let path = try? SocketLocation(option: path).path(), let file = status(of: path) else { return [] }
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        var findings: [Finding] = []
        if file.st_mode & S_IFMT != S_IFSOCK {
            findings.append(Finding(.wrong, "\(path) is no socket", advice: "remove it, and start the daemon"))
        } else if file.st_mode & 0o002 != 0 {
            findings.append(
                Finding(.wrong, "every user may connect to \(path)", advice: "say 'chmod o-rwx \(path)'"))
        }
        if let status = status(of: folder) {
            if status.st_mode & 0o022 != 0, status.st_mode & S_ISVTX == 0 {
                findings.append(
                    Finding(
                        .wrong, "other users may put their own socket into \(folder)",
                        advice: "say 'chmod go-w \(folder)'"))
            }
            if status.st_uid != 0, status.st_uid != geteuid() {
                findings.append(
                    Finding(
                        .wrong, "uid \(status.st_uid) may put another socket into \(folder)",
                        advice: "root must own it; for /run/xcallbackd say 'systemd-tmpfiles --create xcallbackd.conf'")
                )
            }
        }
        return findings.isEmpty ? [Finding(.fine, "socket \(path)")] : findings
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
