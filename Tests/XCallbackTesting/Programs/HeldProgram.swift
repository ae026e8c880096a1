import Glibc

/// A program that cannot be started while held: an attempt waits until it is released, or 45 seconds.
///
/// A lease on its file makes execve(2) wait (fcntl(2), "Leases").
package final class HeldProgram: Sendable {
    /// The path of the program.
    package let path: String
    private let descriptor: Int32

    // Constants that the C library declares only with `_GNU_SOURCE`.
    private static let setSignal: Int32 = 10
    private static let setLease: Int32 = 1024
    private static let getLease: Int32 = 1025

    /// Copies a program and holds the copy.
    ///
    /// - Parameters:
    ///   - program: The path of the program.
    ///   - directory: The folder of the copy.
    /// - Throws: ``TestFailure`` if the file system does not support leases.
    package init(_ program: String, in directory: TemporaryDirectory) throws {
        path = directory.path(of: "held")
        // A separate process copies it: while any process has the file open for writing, it cannot be started.
        guard try ChildProcess.run(["/bin/cp", program, path]).status == 0 else {
            throw TestFailure("cannot copy \(program)")
        }
        descriptor = try TestFailure.check("open", open(path, O_RDONLY | O_CLOEXEC))
        // The lease holder is notified by a signal; SIGURG is ignored by default.
        _ = try TestFailure.check("F_SETSIG", fcntl(descriptor, Self.setSignal, SIGURG))
        _ = try TestFailure.check("F_SETLEASE", fcntl(descriptor, Self.setLease, F_WRLCK))
    }

    deinit { close(descriptor) }

    /// Whether a process waits to start it.
    package var isAsync: Bool { fcntl(descriptor, Self.getLease) != F_WRLCK }

    /// Whether a process runs it.
    package var isRunning: Bool {
        get throws { try ProcessState.all.contains { $0.program == path } }
    }

    /// Releases the program.
    package func letGo() { _ = fcntl(descriptor, Self.setLease, F_UNLCK) }
}
