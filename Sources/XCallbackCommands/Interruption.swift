import CLinux
import Dispatch
import Glibc
import Synchronization
import XCallbackEventLoop

/// The signals that ask the command to end, while something has to be put in order before it does.
///
/// It has to be made before any other thread is.
struct Interruption: Sendable {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    private let descriptor: Int32

    /// Holds the signals back from now on.
    ///
    /// - Throws: ``Failure`` if the system is out of descriptors.
    init() throws(Failure) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in Self.signals { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        descriptor = signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
        let code = errno
        guard descriptor >= 0 else {
            throw Failure(.errorAnswer, "cannot wait for signals: \(SystemError("signalfd", code: code))")
        }
    }

    /// Runs a function whose task is cancelled by the first signal; the signal then ends the process.
    ///
    /// - Throws: What the function throws, if no signal has come.
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await body() }
        let received = Mutex<Int32?>(nil)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        source.setEventHandler { @Sendable in
            var information = signalfd_siginfo()
            let size = MemoryLayout<signalfd_siginfo>.size
            guard read(descriptor, &information, size) == size else { return }
            received.withLock { $0 = Int32(information.ssi_signo) }
            task.cancel()
        }
        source.activate()
        let result = await task.result
        source.cancel()
        if let number = received.withLock({ $0 }) { Self.end(with: number) }
        try result.get()
    }

    /// Ends the process as the signal would have, so that whoever started it knows.
    private static func end(with number: Int32) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
    }
}
