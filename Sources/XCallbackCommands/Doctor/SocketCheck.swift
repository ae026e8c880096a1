import Glibc
import XCallbackClient
import XCallbackLinux

/// Checks whether the daemon's socket exists, and admits exactly the intended users.
enum SocketCheck: DoctorCheck {
    static let name = "socket"

    static func findings(in examination: Examination) -> [Finding] {
        let path = examination.socket
        guard let file = status(of: path) else { return absence(in: examination) }
        let word = path.shellWord
        var findings: [Finding] = []
        if file.st_mode & S_IFMT != S_IFSOCK {
            findings.append(
                Finding(
                    .fault, of: path, "\(path) is not a socket", mend: mend(in: examination, "rm \(word)"),
                    advice: examination.units == nil ? "then start the daemon" : nil))
        } else if file.st_mode & 0o002 != 0 {
            findings.append(
                Finding(
                    .fault, of: path, "all users can connect to \(path)",
                    mend: Finding.Mend(command: "chmod o-rwx \(word)", needsRoot: !isOwn(file))))
        } else if access(path, W_OK) != 0 {
            findings.append(denial(file, path))
        }
        findings += folderFindings(around: path)
        return findings.isEmpty ? [Finding(.good, of: path, "socket \(path)")] : findings
    }

    /// Returns the finding for a missing file; the daemon's check reports that nothing answers.
    private static func absence(in examination: Examination) -> [Finding] {
        let path = examination.socket
        guard let scope = examination.scope, examination.units?.socket.isActive == true else { return [] }
        return [
            Finding(
                .fault, of: path, "\(path) was removed while \(ManagerScope.socketUnit) listens there",
                mend: Finding.Mend("\(scope.systemctl) restart \(ManagerScope.socketUnit)", in: scope))
        ]
    }

    /// Returns the finding for a user who cannot connect, with a remedy.
    private static func denial(_ file: stat, _ path: String) -> Finding {
        let group = ServerTrust.serviceUserName
        guard file.st_gid == UserDatabase.groupID(named: group), file.st_mode & 0o020 != 0 else {
            return Finding(
                .fault, of: path, "you are not allowed to connect to \(path): it belongs to uid \(file.st_uid)",
                advice: "ask that user, or root")
        }
        if UserDatabase.groupIDs(of: geteuid())?.contains(file.st_gid) == true {
            return Finding(
                .fault, of: path, "you became a member of the group '\(group)' after your login",
                mend: Finding.Mend(command: "newgrp \(group)"),
                advice: "this starts a shell with the group; other programs have it after your next login")
        }
        let user = UserDatabase.name(of: geteuid())
        return Finding(
            .fault, of: path, "you are not allowed to connect to \(path): you are not a member of the group '\(group)'",
            mend: user.map {
                Finding.Mend(command: "usermod --append --groups \(group) \($0.shellWord)", needsRoot: true)
            },
            advice: "this takes effect with your next login")
    }

    private static func folderFindings(around path: String) -> [Finding] {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        guard let status = status(of: folder) else { return [] }
        var findings: [Finding] = []
        if status.st_mode & 0o022 != 0, status.st_mode & S_ISVTX == 0 {
            findings.append(
                Finding(
                    .fault, of: folder, "other users can put their own sockets into \(folder)",
                    mend: Finding.Mend(command: "chmod go-w \(folder.shellWord)", needsRoot: !isOwn(status))))
        }
        if status.st_uid != 0, status.st_uid != geteuid() {
            let command =
                path == ManagerScope.system.socket
                ? "systemd-tmpfiles --create xcallbackd.conf" : "chown root: \(folder.shellWord)"
            findings.append(
                Finding(
                    .fault, of: folder, "uid \(status.st_uid) can put another socket into \(folder)",
                    mend: Finding.Mend(command: command, needsRoot: geteuid() != 0)))
        }
        return findings
    }

    /// Returns a command, followed by one that makes the unit create the socket again.
    private static func mend(in examination: Examination, _ command: String) -> Finding.Mend {
        guard let scope = examination.scope, examination.units != nil else { return Finding.Mend(command: command) }
        return Finding.Mend("\(command) && \(scope.systemctl) restart \(ManagerScope.socketUnit)", in: scope)
    }

    private static func isOwn(_ file: stat) -> Bool { geteuid() == 0 || file.st_uid == geteuid() }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
