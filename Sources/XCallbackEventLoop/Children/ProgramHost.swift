import Glibc
package import XCallbackLinux

/// Something that runs programs in the loop's stead, such as a service manager, and tells the loop how they end.
///
/// The loop makes their standard streams, reads what they write, and counts them with those that it starts itself. It
/// neither ends them when it ends itself, nor waits for them.
package protocol ProgramHost: AnyObject {
    /// Begins to run a program.
    ///
    /// Later, never during the call, it tells what becomes of it: ``EventLoop/noteStart(of:)`` once the program runs,
    /// and ``EventLoop/noteEnd(of:_:)``, once.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - id: What names it.
    ///   - streams: What is to be its standard streams.
    ///   - loop: The loop.
    /// - Throws: ``SystemError`` if it cannot be run; nothing more is told of it then.
    func begin(
        _ program: ChildCommand, _ id: ChildID, _ streams: consuming ProgramStreams, on loop: isolated EventLoop
    ) throws(SystemError)

    /// Ends a program with whatever it has started; it may have ended already.
    func end(_ id: ChildID, on loop: isolated EventLoop)
}

/// The standard streams of a program, for whoever runs it.
package struct ProgramStreams: ~Copyable {
    /// A file in memory with what the program reads.
    package let input: Descriptor
    /// Where it writes; nil where that goes nowhere.
    package let output: Descriptor?
    /// Where it writes what goes wrong; nil where that goes nowhere.
    package let errors: Descriptor?
    /// The numbers of the three.
    package let numbers: (input: Int32, output: Int32?, errors: Int32?)
}

/// Both sides of the standard streams of a program.
struct StreamPair: ~Copyable {
    private var input: Descriptor?
    private var output: Pipe
    private var errors: Pipe

    /// Makes the streams that a command needs.
    init(_ command: ChildCommand) throws(SystemError) {
        let input = try makeInput(command.input)
        let output = try Pipe(isNeeded: command.keepsOutput)
        let errors = try Pipe(isNeeded: !command.isDetached)
        self.input = consume input
        self.output = output
        self.errors = errors
    }

    /// The numbers of the program's side.
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

    /// Takes the loop's side.
    mutating func takeOutput() -> Descriptor? { output.reading.take() }

    /// Takes the loop's side.
    mutating func takeErrors() -> Descriptor? { errors.reading.take() }
}
