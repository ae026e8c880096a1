import CLinux
import Dispatch
import Glibc
import Synchronization
import XCallbackLinux

/// The signals that end the command, deferred while it must clean up first.
///
/// It must be created before any other thread.
struct Interruption: Sendable {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    private let descriptor: Int32

    /// Blocks the signals from now on.
    ///
    /// - Parameter others: Other signals, which ``wait(for:atMost:)`` returns, too.
    /// - Throws: ``Failure`` if the system is out of descriptors.
    init(and others: [Int32] = []) throws(Failure) {
        var set = signalSet(Self.signals + others)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        descriptor = signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
        let code = errno
        guard descriptor >= 0 else {
            throw Failure("cannot wait for signals: \(SystemError("signalfd", code: code))")
        }
    }

    /// Runs a function while the thread waits; the first signal cancels its task, and then ends the process.
    ///
    /// - Throws: The error of the function, if no signal has arrived.
    static func waitFor(_ body: @escaping @Sendable () async throws -> Void) throws {
        let interruption = try Interruption()
        try XCallbackCommands.waitFor { try await interruption.run(body) }
    }

    private func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await body() }
        let received = Mutex<Int32?>(nil)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        source.setEventHandler { @Sendable in
            guard let number = next() else { return }
            received.withLock { $0 = number }
            task.cancel()
        }
        source.activate()
        let result = await task.result
        source.cancel()
        if let number = received.withLock({ $0 }) { Self.end(with: number) }
        try result.get()
    }

    /// The reason why a wait ended.
    enum Event {
        /// A signal; it takes precedence.
        case signal(Int32)
        /// The descriptor is ready.
        case ready
        /// The timeout.
        case timeout
    }

    /// Waits in a system call.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor that becomes readable; -1 for none.
    ///   - limit: The timeout; nil for none.
    /// - Returns: The reason why the wait ended.
    func wait(for descriptor: Int32 = -1, atMost limit: Duration?) -> Event {
        let deadline = limit.map { ContinuousClock.now + $0 }
        while true {
            var members = [self.descriptor, descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let rest = deadline.map { max(ContinuousClock.now.duration(to: $0), .zero) }
            let count = poll(&members, 2, rest.map { Int32($0 / .milliseconds(1)) } ?? -1)
            if let number = next() { return .signal(number) }
            if count > 0, members[1].revents != 0 { return .ready }
            if count == 0 { return .timeout }
        }
    }

    /// Takes a pending signal.
    private func next() -> Int32? {
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        return read(descriptor, &information, size) == size ? Int32(information.ssi_signo) : nil
    }

    /// Ends the process through the signal, so that its parent gets the right status.
    static func end(with number: Int32) -> Never {
        var set = signalSet([number])
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
        exit(128 + number)
    }
}
