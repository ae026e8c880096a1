import Glibc

/// A program that nobody can start while it is held: who tries waits until it is let go, or 45 seconds.
///
/// A lease on its file keeps execve(2) waiting (fcntl(2), "Leases").
package final class HeldProgram: Sendable {
    /// The path of the program.
    package let path: String
    private let descriptor: Int32

    // What the C library shows only with `_GNU_SOURCE`.
    private static let setSignal: Int32 = 10
    private static let setLease: Int32 = 1024
    private static let getLease: Int32 = 1025

    /// Copies a program and holds the copy.
    ///
    /// - Parameters:
    ///   - program: The path of the program.
    ///   - directory: The folder of the copy.
    /// - Throws: ``TestFailure`` if the file system knows no leases.
    package init(_ program: String, in directory: TemporaryDirectory) throws {
        path = directory.path(of: "held")
        let log = directory.path(of: "cp.log")
        // A process of its own: while any process has the file open to write, it cannot be started.
        let copying = try ChildProcess(["/bin/cp", program, path], output: log, error: log)
        guard try copying.wait() == 0 else { throw TestFailure("cannot copy \(program)") }
        descriptor = try TestFailure.check("open", open(path, O_RDONLY | O_CLOEXEC))
        // Who waits is told by a signal that is ignored unless somebody wants it.
        _ = try TestFailure.check("F_SETSIG", fcntl(descriptor, Self.setSignal, SIGURG))
        _ = try TestFailure.check("F_SETLEASE", fcntl(descriptor, Self.setLease, F_WRLCK))
    }

    deinit { close(descriptor) }

    /// Whether somebody waits to start it.
    package var isAsync: Bool { fcntl(descriptor, Self.getLease) != F_WRLCK }

    /// Whether a process runs it.
    package var isRunning: Bool {
        get throws { try ProcessFacts.all.contains { $0.program == path } }
    }

    /// Lets everybody start it.
    package func letGo() { _ = fcntl(descriptor, Self.setLease, F_UNLCK) }
}
