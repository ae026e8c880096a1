import Glibc
import XCallbackTesting

/// A machine on which a user's daemon runs in a user namespace that hides all other users, as in its unit.
///
/// In it, `etc` of its folder is `/etc`, `home` is the user's home, and `shared` is a folder like `/tmp`.
final class HiddenOwnerSite {
    /// The user.
    static let user: uid_t = 12_340
    /// Another user, who must not be mistaken for root.
    static let stranger: uid_t = 12_341
    /// The reason why such a machine cannot be created here, as a comment for a test; nil if it can.
    static let obstacle: String? = {
        guard geteuid() == 0 else { return "only root can give files away" }
        guard let site = try? HiddenOwnerSite(), let result = try? site.run("--version") else { return "no site" }
        return result.status == 0 ? nil : "the daemon cannot run in a user namespace of user \(user): \(result.output)"
    }()

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        for (folder, owner) in [("etc", 0), ("home", Self.user), ("shared", 0)] { try make(folder, owner) }
        chmod(directory.path(of: "shared"), 0o1777)
        for folder in ["home/.config", "home/.config/xcallbackd"] { try make(folder, Self.user) }
    }

    /// Returns a path in the common folder.
    func path(of name: String) -> String { directory.path(of: name) }

    /// Creates a folder.
    func make(_ folder: String, _ owner: uid_t) throws {
        _ = try TestFailure.check("mkdir", mkdir(directory.path(of: folder), 0o755))
        chmod(directory.path(of: folder), 0o755)
        try give(folder, to: owner)
    }

    /// Writes a file; missing folders are created with the same owner.
    func write(_ text: String, to name: String, _ owner: uid_t, mode: mode_t = 0o644) throws {
        for index in name.indices where name[index] == "/" {
            let folder = String(name[..<index])
            if !directory.contains(folder) { try make(folder, owner) }
        }
        try directory.write(text, to: name)
        chmod(directory.path(of: name), mode)
        try give(name, to: owner)
    }

    /// Creates a link.
    ///
    /// - Parameters:
    ///   - name: The path of the link.
    ///   - target: The target; `FOLDER` is replaced by the common folder.
    ///   - owner: The owner of the link.
    /// - Throws: ``TestFailure`` if it cannot be created.
    func link(_ name: String, to target: String, _ owner: uid_t) throws {
        let target = target.replacing("FOLDER", with: directory.path)
        _ = try TestFailure.check("symlink", symlink(target, directory.path(of: name)))
        try give(name, to: owner)
    }

    private func give(_ name: String, to owner: uid_t) throws {
        _ = try TestFailure.check("lchown", lchown(directory.path(of: name), owner, gid_t(Self.user)))
    }

    /// Runs the daemon as the user, in a namespace that hides other users.
    ///
    /// - Parameter arguments: Its arguments; `FOLDER` is replaced by the common folder.
    /// - Returns: Its exit status, and its output, with `FOLDER` in place of that folder.
    /// - Throws: ``TestFailure`` if it cannot be run.
    func run(_ arguments: String...) throws -> (status: Int32, output: String) {
        try run("unshare --user --map-user=\(Self.user)", "xcallbackd", arguments)
    }

    /// Runs `xcallback check` as the user, as if in a terminal.
    ///
    /// - Returns: Its exit status, and its output, with `FOLDER` in place of that folder.
    /// - Throws: ``TestFailure`` if it cannot be run.
    func check() throws -> (status: Int32, output: String) { try run("", "xcallback", ["check"]) }

    private func run(
        _ tool: String, _ program: String, _ arguments: [String]
    ) throws -> (status: Int32, output: String) {
        let output = directory.path(of: "output-\(UInt32.random(in: 0 ... .max))")
        let script = """
            mount --bind \(directory.path)/etc /etc
            exec setpriv --reuid=\(Self.user) --regid=\(Self.user) --clear-groups \(tool) "$@"
            """
        let words = arguments.map { $0.replacing("FOLDER", with: directory.path) }
        let child = try ChildProcess(
            ["/usr/bin/unshare", "--mount", "--propagation=private", "/bin/sh", "-euc", script, "daemon"]
                + [try RunningDaemon.program(program)] + words,
            environment: ["PATH=/usr/bin:/bin", "HOME=\(directory.path)/home"], output: output, error: output)
        let status = try child.wait()
        return (status, try textOfFile(output).replacing(directory.path, with: "FOLDER"))
    }
}
