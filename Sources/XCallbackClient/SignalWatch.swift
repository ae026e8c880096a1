import Dispatch
import Glibc
import Synchronization
import XCallbackLinux

/// Where the handler of signals writes their numbers.
private let signalPipe = Atomic<Int32>(-1)

/// Calls a function when this process gets a signal, wherever it was set up: no actor and no queue of the program takes part.
///
/// Only the first signal is noticed, because from then on, and after the watch, it does what it does by default.
package final class SignalWatch: Sendable {
    private struct State {
        /// The signals of each watch, and its function.
        var watches: [Int: (numbers: [Int32], body: @Sendable () -> Void)] = [:]
        var lastID = 0
        var source: (any DispatchSourceRead)?

        func bodies(for number: Int32) -> [@Sendable () -> Void] {
            watches.values.filter { $0.numbers.contains(number) }.map(\.body)
        }
    }

    private static let state = Mutex(State())

    private let id: Int

    /// Watches signals until this object is released.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the signals.
    ///   - body: The function, called on a thread of its own.
    /// - Throws: ``ClientError`` if the system is out of descriptors.
    package init(_ numbers: [Int32], _ body: @escaping @Sendable () -> Void) throws(ClientError) {
        do throws(SystemError) {
            id = try Self.state.withLock { state throws(SystemError) in
                if !numbers.isEmpty, state.source == nil { state.source = try Self.makeSource() }
                state.lastID += 1
                state.watches[state.lastID] = (numbers, body)
                for number in numbers { Self.notice(number) }
                return state.lastID
            }
        } catch {
            throw ClientError(.unreachable, "cannot wait for signals: \(error)")
        }
    }

    deinit {
        Self.state.withLock { state in
            for number in state.watches.removeValue(forKey: id)?.numbers ?? [] where state.bodies(for: number).isEmpty {
                signal(number, SIG_DFL)
            }
        }
    }

    /// Makes a signal write its number, in whatever thread and at whatever moment it arrives.
    private static func notice(_ number: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            let code = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(signalPipe.load(ordering: .relaxed), &byte, 1)
            errno = code
        }
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_RESTART
        sigaction(number, &action, nil)
    }

    /// Opens the pipe, and watches it from now on.
    private static func makeSource() throws(SystemError) -> any DispatchSourceRead {
        // Both ends stay open.
        let pipe = try Pipe()
        let (number, writing) = pipe.release()
        signalPipe.store(writing, ordering: .relaxed)
        let source = DispatchSource.makeReadSource(fileDescriptor: number)
        source.setEventHandler { @Sendable in
            var byte: UInt8 = 0
            guard read(number, &byte, 1) == 1 else { return }
            for body in state.withLock({ $0.bodies(for: Int32(byte)) }) { body() }
        }
        source.activate()
        return source
    }
}
