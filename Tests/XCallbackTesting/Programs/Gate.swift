import Glibc

/// A named pipe at which programs wait: `read line <PATH` lasts until a test opens the gate.
package final class Gate: Sendable {
    /// The path of the pipe.
    package let path: String
    private let descriptor: Int32

    /// Creates a closed gate.
    package init(in directory: TemporaryDirectory, _ name: String = "gate") throws {
        path = directory.path(of: name)
        _ = try TestFailure.check("mkfifo", mkfifo(path, 0o644))
        chmod(path, 0o644)
        // Opened for both, so that nobody waits for the other side.
        descriptor = try TestFailure.check("open", Glibc.open(path, O_RDWR | O_CLOEXEC))
    }

    deinit { close(descriptor) }

    /// Lets all programs pass that wait or will wait, up to a thousand.
    package func open() throws {
        let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: 1000)
        _ = try TestFailure.check("write", Int32(write(descriptor, lines, lines.count)))
    }
}
