import CLinux
import Glibc
import XCallbackEventLoop
import XCallbackLinux

/// A program with pipes to its standard input and from its standard output, for a caller that uses blocking calls.
///
/// It stays in the caller's process group and writes to the caller's standard error.
struct PipedProgram: Sendable {
    /// The write end of its standard input; not closed automatically.
    let input: Int32
    /// The read end of its standard output; not closed automatically.
    let output: Int32
    private let processID: pid_t

    /// Starts a program with the caller's environment.
    ///
    /// - Parameter arguments: The program, then its arguments; a program without a slash is searched in `PATH`.
    /// - Throws: ``SystemError`` if the program cannot be started.
    init(_ arguments: [String]) throws(SystemError) {
        let toProgram = try makePipe()
        let fromProgram = try makePipe()
        (input, output) = (toProgram.writing, fromProgram.reading)
        defer {
            close(toProgram.reading)
            close(fromProgram.writing)
        }
        do throws(SystemError) {
            processID = try spawn(arguments) { actions in
                posix_spawn_file_actions_adddup2(&actions, toProgram.reading, STDIN_FILENO)
                posix_spawn_file_actions_adddup2(&actions, fromProgram.writing, STDOUT_FILENO)
                xcb_spawn_close_from(&actions, STDERR_FILENO + 1)
            }
        } catch {
            close(input)
            close(output)
            throw error
        }
    }

    /// Sends the program SIGTERM.
    func terminate() {
        kill(processID, SIGTERM)
    }

    /// Closes the program's input, and waits until the program ends.
    ///
    /// Must be called at most once.
    func finish() -> ChildResult.Ending {
        closeInput()
        return wait()
    }

    /// Closes the program's input; must be called at most once.
    func closeInput() { close(input) }

    /// Waits until the program ends; must be called at most once.
    func wait() -> ChildResult.Ending {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .exited(status: status >> 8 & 0xFF) : .killed(signal: signal)
    }
}
