import Dispatch
import Glibc
import Synchronization
package import XCallbackLinux

/// What can be told of a process by looking into it, as policies do with that of a peer.
///
/// A daemon in a user namespace of its own may look into no process outside. Another process, which is in none, tells it
/// the facts (``tell(on:)``): over a socket that keeps messages apart, one answer to each question.
package enum ProcessFacts {
    /// What is asked of a process.
    private enum Question: UInt8 {
        case executable, app
    }

    /// How long whoever tells looks into a process, and into how many at a time: one may lie on a disk that does not
    /// answer, and others are asked for after it.
    private static let (lookTime, lookLimit) = (DispatchTimeInterval.milliseconds(200), 32)
    /// How long an answer is waited for.
    private static let patience = timeval(tv_sec: 1, tv_usec: 0)
    /// The longest answer: an identity, or the name of an application.
    private static let answerLimit = 1024
    /// The socket to whoever tells; nil where this process looks itself.
    private static let teller = Mutex<Descriptor?>(nil)

    /// Asks somebody else from now on.
    ///
    /// - Parameter socket: The socket to whoever tells; nil to look oneself.
    package static func ask(_ socket: consuming Descriptor?) {
        var socket = consume socket
        if let number = socket?.number {
            var patience = patience
            _ = setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        teller.withLock { $0 = socket.take() }
    }

    /// Tells whoever asks until there is nobody any more.
    ///
    /// - Parameter socket: The socket to who asks.
    package static func tell(on socket: Int32) {
        let looks = Looks()
        var bytes = [UInt8](repeating: 0, count: 8)
        while true {
            let count = recv(socket, &bytes, bytes.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count == 5, let question = Question(rawValue: bytes[0]) else { return }
            let process = bytes[1...4].reversed().reduce(Int32(0)) { $0 << 8 | Int32($1) }
            let answer = [1] + looks.answer(question, process).prefix(answerLimit - 1)
            guard send(socket, answer, answer.count, Int32(MSG_NOSIGNAL)) == answer.count else { return }
        }
    }

    /// What looks into processes while somebody waits who has to go on.
    private final class Looks: Sendable {
        private final class Answer: Sendable {
            let bytes = Mutex<[UInt8]>([])
        }

        private let queue = DispatchQueue(label: "xcallbackd.looks", attributes: .concurrent)
        private let turns = DispatchSemaphore(value: lookLimit)

        /// The answer; empty if it takes too long.
        func answer(_ question: Question, _ process: Int32) -> [UInt8] {
            guard turns.wait(timeout: .now()) == .success else { return [] }
            let (found, isFound) = (Answer(), DispatchSemaphore(value: 0))
            queue.async { [turns] in
                let bytes = ProcessFacts.answer(question, process)
                found.bytes.withLock { $0 = bytes }
                isFound.signal()
                turns.signal()
            }
            _ = isFound.wait(timeout: .now() + lookTime)
            return found.bytes.withLock { $0 }
        }
    }

    /// The file that a process runs; nil if nobody can tell.
    static func executable(of process: Int32) -> ExecutableIdentity? {
        ExecutableIdentity(bytes: told(.executable, process) ?? answer(.executable, process))
    }

    /// The application that a process belongs to; nil if it is none, or nobody can tell.
    static func app(of process: Int32) -> AppIdentity? {
        AppIdentity(bytes: told(.app, process) ?? answer(.app, process))
    }

    /// The answer of whoever tells; nil if there is nobody.
    private static func told(_ question: Question, _ process: Int32) -> [UInt8]? {
        teller.withLock { (teller) -> [UInt8]? in
            guard let socket = teller?.number else { return nil }
            var bytes = [question.rawValue]
            for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: process >> shift)) }
            var answer = [UInt8](repeating: 0, count: answerLimit)
            var count = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            if count == bytes.count { count = recv(socket, &answer, answer.count, 0) }
            guard count > 0 else {
                // What comes late would be taken for the next answer. Nobody tells any more; see ``answer(_:_:)``.
                teller = nil
                return []
            }
            return Array(answer[1..<count])
        }
    }

    /// The answer as this process finds it; empty if it finds none, as where it may not look.
    private static func answer(_ question: Question, _ process: Int32) -> [UInt8] {
        switch question {
        case .executable: ExecutableIdentity(ofFile: "/proc/\(process)/exe")?.bytes ?? []
        case .app: AppIdentity(ofProcess: process)?.bytes ?? []
        }
    }
}

extension AppIdentity {
    /// As it travels: whether a sandbox says so, then the name.
    fileprivate var bytes: [UInt8] { [isEnforced ? 1 : 0] + name.utf8 }

    fileprivate init?(bytes: [UInt8]) {
        guard bytes.count > 1 else { return nil }
        self.init(name: String(decoding: bytes[1...], as: UTF8.self), isEnforced: bytes[0] == 1)
    }
}

extension ExecutableIdentity {
    /// As it travels.
    fileprivate var bytes: [UInt8] {
        [device, number].flatMap { value in (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * UInt($0))) } }
    }

    fileprivate init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        let values = [bytes[..<8], bytes[8...]].map { $0.reversed().reduce(UInt(0)) { $0 << 8 | UInt($1) } }
        self.init(device: values[0], number: values[1])
    }
}
