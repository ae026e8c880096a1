import Dispatch
import Glibc
import Synchronization
package import XCallbackLinux

/// Facts about a process that are found by inspecting it, as policies do with a peer's process.
///
/// A daemon in its own user namespace cannot inspect processes outside of it. A helper process outside of the namespace
/// sends it the facts (``tell(on:)``) over a socket that preserves message boundaries, with one answer per question.
package enum ProcessFacts {
    /// A question about a process.
    private enum Question: UInt8 {
        case executable, app
    }

    /// The timeout of the helper process for an inspection, and the maximum number at a time: the file of a process can
    /// be on a disk that does not respond, and other questions follow.
    private static let (lookTime, lookLimit) = (DispatchTimeInterval.milliseconds(200), 32)
    /// The timeout for an answer.
    private static let patience = timeval(tv_sec: 1, tv_usec: 0)
    /// The maximum size of an answer: an identity, or the name of an application.
    private static let answerLimit = 1024
    /// The socket to the helper process; nil if this process inspects processes itself.
    private static let teller = Mutex<Descriptor?>(nil)

    /// Uses a helper process from now on.
    ///
    /// - Parameter socket: The socket to the helper process; nil to inspect processes in this process.
    package static func ask(_ socket: consuming Descriptor?) {
        var socket = consume socket
        if let number = socket?.number {
            var patience = patience
            _ = setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        teller.withLock { $0 = socket.take() }
    }

    /// Answers questions until the other end closes the socket.
    ///
    /// - Parameter socket: The socket to the process that asks.
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

    /// Inspections with a timeout, because the caller must continue.
    private final class Looks: Sendable {
        private final class Answer: Sendable {
            let bytes = Mutex<[UInt8]>([])
        }

        private let queue = DispatchQueue(label: "xcallbackd.looks", attributes: .concurrent)
        private let turns = DispatchSemaphore(value: lookLimit)

        /// Returns the answer; empty after a timeout.
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

    /// Returns the file that a process runs; nil if unknown.
    static func executable(of process: Int32) -> ExecutableIdentity? {
        ExecutableIdentity(bytes: told(.executable, process) ?? answer(.executable, process))
    }

    /// Returns the application of a process; nil if it has none, or if unknown.
    static func app(of process: Int32) -> AppIdentity? {
        AppIdentity(bytes: told(.app, process) ?? answer(.app, process))
    }

    /// Returns the answer of the helper process; nil without a helper process.
    private static func told(_ question: Question, _ process: Int32) -> [UInt8]? {
        teller.withLock { (teller) -> [UInt8]? in
            guard let socket = teller?.number else { return nil }
            var bytes = [question.rawValue]
            for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: process >> shift)) }
            var answer = [UInt8](repeating: 0, count: answerLimit)
            var count = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            if count == bytes.count { count = recv(socket, &answer, answer.count, 0) }
            guard count > 0 else {
                // A late answer would be mistaken for the next one, so the helper process is abandoned; see
                // ``answer(_:_:)``.
                teller = nil
                return []
            }
            return Array(answer[1..<count])
        }
    }

    /// Returns the answer that this process finds; empty if there is none, for example without permission.
    private static func answer(_ question: Question, _ process: Int32) -> [UInt8] {
        switch question {
        case .executable: ExecutableIdentity(ofFile: "/proc/\(process)/exe")?.bytes ?? []
        case .app: AppIdentity(ofProcess: process)?.bytes ?? []
        }
    }
}

extension AppIdentity {
    /// The wire form: whether a sandbox enforces the ID, then the name.
    fileprivate var bytes: [UInt8] { [isEnforced ? 1 : 0] + name.utf8 }

    fileprivate init?(bytes: [UInt8]) {
        guard bytes.count > 1 else { return nil }
        self.init(name: String(decoding: bytes[1...], as: UTF8.self), isEnforced: bytes[0] == 1)
    }
}

extension ExecutableIdentity {
    /// The wire form.
    fileprivate var bytes: [UInt8] {
        [device, number].flatMap { value in (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * UInt($0))) } }
    }

    fileprivate init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        let values = [bytes[..<8], bytes[8...]].map { $0.reversed().reduce(UInt(0)) { $0 << 8 | UInt($1) } }
        self.init(device: values[0], number: values[1])
    }
}
