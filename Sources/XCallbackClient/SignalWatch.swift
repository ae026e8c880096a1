import Dispatch
import Glibc
import Synchronization
import XCallbackLinux

/// Where the handler of signals writes their numbers.
private let signalPipe = Atomic<Int32>(-1)

/// Calls functions when this process gets a signal, wherever they were set up: the main actor and its queue take no part.
///
/// Only the first signal is noticed. The second one ends the process, if that is what it did before.
package final class SignalWatch: Sendable {
    private struct State {
        var watchers: [Int: (number: Int32, body: @Sendable () -> Void)] = [:]
        var lastID = 0
        /// What each watched signal did before.
        var earlier: [Int32: sigaction] = [:]
        var source: (any DispatchSourceRead)?
    }

    private static let state = Mutex(State())

    private let ids: [Int]

    /// Watches signals until this object is released.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the signals.
    ///   - body: The function, called on a thread of its own.
    /// - Throws: ``ClientError`` if the system is out of descriptors.
    package init(_ numbers: [Int32], _ body: @escaping @Sendable () -> Void) throws(ClientError) {
        do throws(SystemError) {
            ids = try Self.state.withLock { state throws(SystemError) in
                if !numbers.isEmpty, state.source == nil { state.source = try Self.makeSource() }
                return numbers.map { number in
                    state.lastID += 1
                    state.watchers[state.lastID] = (number, body)
                    let before = Self.handle(number, Self.noticingAction)
                    if state.earlier[number] == nil { state.earlier[number] = before }
                    return state.lastID
                }
            }
        } catch {
            throw ClientError(.unreachable, "cannot wait for signals: \(error)")
        }
    }

    deinit {
        Self.state.withLock { state in
            for id in ids {
                guard let number = state.watchers.removeValue(forKey: id)?.number,
                    !state.watchers.values.contains(where: { $0.number == number }),
                    let earlier = state.earlier.removeValue(forKey: number)
                else { continue }
                _ = Self.handle(number, earlier)
            }
        }
    }

    /// Writes the number of the signal, which any thread may get at any moment.
    private static var noticingAction: sigaction {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            let code = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(signalPipe.load(ordering: .relaxed), &byte, 1)
            errno = code
        }
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_RESTART
        return action
    }

    /// Changes what a signal does; returns what it did before.
    private static func handle(_ number: Int32, _ action: sigaction) -> sigaction {
        var (action, before) = (action, sigaction())
        sigaction(number, &action, &before)
        return before
    }

    /// Opens the pipe, and watches it from now on.
    private static func makeSource() throws(SystemError) -> any DispatchSourceRead {
        let pipe = try makePipe()
        signalPipe.store(pipe.writing, ordering: .relaxed)
        let source = DispatchSource.makeReadSource(fileDescriptor: pipe.reading)
        source.setEventHandler { @Sendable in
            var byte: UInt8 = 0
            guard read(pipe.reading, &byte, 1) == 1 else { return }
            let bodies = state.withLock { state in
                state.watchers.values.filter { $0.number == Int32(byte) }.map(\.body)
            }
            for body in bodies { body() }
        }
        source.activate()
        return source
    }
}
