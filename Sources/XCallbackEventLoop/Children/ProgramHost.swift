import Glibc
package import XCallbackLinux

/// Runs programs on behalf of the loop, for example through a service manager, and reports how they end.
///
/// The loop creates their standard streams, reads their output, and counts them together with its own programs. When the
/// loop ends, it neither ends them nor waits for them.
package protocol ProgramHost: AnyObject {
    /// Starts to run a program.
    ///
    /// Later, but never during the call, the host calls ``EventLoop/noteStart(of:)`` once the program runs, and
    /// ``EventLoop/noteEnd(of:_:)`` exactly once.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - id: The ID of the program.
    ///   - streams: The standard streams of the program.
    ///   - loop: The loop.
    /// - Throws: ``SystemError`` if the program cannot be run; then neither method is called.
    func begin(
        _ program: ChildCommand, _ id: ChildID, _ streams: consuming ProgramStreams, on loop: isolated EventLoop
    ) throws(SystemError)

    /// Ends a program and all processes that it has started; it may have ended already.
    func end(_ id: ChildID, on loop: isolated EventLoop)
}

/// The standard streams of a program, for its host.
package struct ProgramStreams: ~Copyable {
    /// An in-memory file with standard input.
    package let input: Descriptor
    /// Standard output; nil if it is discarded.
    package let output: Descriptor?
    /// Standard error; nil if it is discarded.
    package let errors: Descriptor?
    /// The descriptor numbers of the three streams.
    package let numbers: (input: Int32, output: Int32?, errors: Int32?)
}

/// Both sides of the standard streams of a program.
struct StreamPair: ~Copyable {
    private var input: Descriptor?
    private var output: Pipe
    private var errors: Pipe

    /// Creates the streams that a command needs.
    init(_ command: ChildCommand) throws(SystemError) {
        let input = try makeInput(command.input)
        let output = try Pipe(isNeeded: command.keepsOutput)
        let errors = try Pipe(isNeeded: !command.isDetached)
        self.input = consume input
        self.output = output
        self.errors = errors
    }

    /// Returns the descriptor numbers of the program's side.
    mutating func numbers() -> (input: Int32, output: Int32?, errors: Int32?) {
        (input?.number ?? -1, output.writing?.number, errors.writing?.number)
    }

    /// Takes the program's side, which the loop must not keep.
    mutating func takeProgramSide() throws(SystemError) -> ProgramStreams {
        guard let input = input.take() else { throw SystemError("memfd_create", code: EBADF) }
        let numbers = (input.number, output.writing?.number, errors.writing?.number)
        return ProgramStreams(
            input: input, output: output.writing.take(), errors: errors.writing.take(), numbers: numbers)
    }

    /// Takes the loop's side of standard output.
    mutating func takeOutput() -> Descriptor? { output.reading.take() }

    /// Takes the loop's side of standard error.
    mutating func takeErrors() -> Descriptor? { errors.reading.take() }
}
