import Glibc

/// A temporary directory in which the command runs, with the files and daemons that a test puts there.
struct CommandWorkspace: ~Copyable {
    let directory: String
    /// Where daemons of the test listen: a user's place, if `$XDG_RUNTIME_DIR` is the directory.
    var socket: String { "\(directory)/xcallbackd/socket" }

    init() throws {
        var template = Array("/tmp/xcallback-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure("mkdtemp") }
        let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard mkdir("\(directory)/xcallbackd", 0o700) == 0 else { throw TestFailure("mkdir") }
        self.directory = directory
    }

    deinit {
        removeFiles(in: "\(directory)/xcallbackd")
        removeFiles(in: directory)
    }

    /// Writes a file that a daemon of the test's user may read.
    func write(_ text: String, to name: String) throws {
        let descriptor = Glibc.open("\(directory)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TestFailure("open") }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw TestFailure("write") }
    }

    /// Starts the command.
    func start(_ arguments: String..., output: String? = nil) throws -> SpawnedProgram {
        try SpawnedProgram("xcallback", arguments, in: directory, output: output)
    }

    /// Runs the command to its end.
    func run(_ arguments: String..., environment: [String] = []) throws -> ProgramResult {
        try SpawnedProgram("xcallback", arguments, environment: environment, in: directory).finish()
    }

    /// Runs `xcallback open` with the socket of the workspace to its end.
    func open(_ arguments: String...) throws -> ProgramResult {
        let words = ["open", "--socket", socket] + arguments
        return try SpawnedProgram("xcallback", words, in: directory).finish()
    }

    /// Starts a daemon with a configuration and waits until it is ready; it runs as long as the result is kept.
    func startDaemon(_ configuration: String) throws -> SpawnedProgram {
        try write(configuration, to: "daemon.yaml")
        // That of an earlier daemon.
        unlink("\(directory)/notify")
        let notifications = try BoundSocket(SOCK_DGRAM, path: "\(directory)/notify")
        let daemon = try SpawnedProgram(
            "xcallbackd", ["--config", "daemon.yaml", "--socket", socket],
            environment: ["NOTIFY_SOCKET=\(directory)/notify"], in: directory)
        while try !notifications.receive().hasPrefix("READY=1") {}
        return daemon
    }
}

private func removeFiles(in directory: String) {
    guard let entries = opendir(directory) else { return }
    while let entry = readdir(entries) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        unlink("\(directory)/\(name)")
    }
    closedir(entries)
    rmdir(directory)
}
