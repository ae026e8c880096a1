import CLinux
import Glibc
import XCallbackEventLoop
import XCallbackLinux

/// A program with a pipe to its standard input and one from its standard output, for a caller that waits in its calls.
///
/// It stays in the caller's process group and writes to the caller's standard error.
struct PipedProgram: Sendable {
    /// What the program reads is written here; never closed by itself.
    let input: Int32
    /// What the program writes is read here; never closed by itself.
    let output: Int32
    private let processID: pid_t

    /// Starts a program with the caller's environment.
    ///
    /// - Parameter arguments: The program, then its arguments; one without a slash is looked for in `PATH`.
    /// - Throws: ``SystemError`` if it cannot be started.
    init(_ arguments: [String]) throws(SystemError) {
        let toProgram = try makePipe()
        let fromProgram = try makePipe()
        (input, output) = (toProgram.writing, fromProgram.reading)
        defer {
            close(toProgram.reading)
            close(fromProgram.writing)
        }
        do throws(SystemError) {
            processID = try spawn(arguments) { actions, attributes in
                posix_spawn_file_actions_adddup2(&actions, toProgram.reading, STDIN_FILENO)
                posix_spawn_file_actions_adddup2(&actions, fromProgram.writing, STDOUT_FILENO)
                xcb_spawn_close_from(&actions, STDERR_FILENO + 1)
                setSignals(&attributes)
                posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
            }
        } catch {
            close(input)
            close(output)
            throw error
        }
    }

    /// Asks the program to end.
    func terminate() {
        kill(processID, SIGTERM)
    }

    /// Tells the program that there is no more for it, and waits until it has ended.
    ///
    /// It can be called once.
    func finish() -> ChildResult.Ending {
        closeInput()
        return wait()
    }

    /// Tells the program that there is no more for it; once.
    func closeInput() { close(input) }

    /// Waits until the program has ended; once.
    func wait() -> ChildResult.Ending {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .exited(status: status >> 8 & 0xFF) : .killed(signal: signal)
    }
}
