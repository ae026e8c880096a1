import CLinux
import Glibc

/// What a call returns when it fails: the negative number of the error.
func failure(_ code: Int32) -> Int { -Int(code) }

/// What a descriptor of the simulated daemon stands for.
class SimulatedDescriptor {
    /// What an epoll set tells of it.
    func readiness(at time: Int64) -> EPOLL_EVENTS { EPOLL_EVENTS(0) }

    func read(_ buffer: UnsafeMutableRawBufferPointer, at time: Int64) -> Int { failure(EINVAL) }

    func write(_ buffer: UnsafeRawBufferPointer) -> Int { failure(EINVAL) }

    /// Hears that the daemon has closed it.
    func close() {}
}

/// An epoll set.
final class SimulatedSet: SimulatedDescriptor {
    struct Member {
        let number: Int32
        var event: epoll_event
    }

    private(set) var members: [Member] = []

    /// Does what `epoll_ctl` does.
    func control(_ operation: Int32, _ number: Int32, _ event: epoll_event) -> Int {
        let index = members.firstIndex { $0.number == number }
        switch (operation, index) {
        case (EPOLL_CTL_ADD, nil): members.append(Member(number: number, event: event))
        case (EPOLL_CTL_ADD, _): return failure(EEXIST)
        case (_, nil): return failure(ENOENT)
        case (EPOLL_CTL_MOD, let index?): members[index].event = event
        case (_, let index?): members.remove(at: index)
        }
        return 0
    }

    /// Lets a closed descriptor go, as the system does.
    func forget(_ number: Int32) { members.removeAll { $0.number == number } }
}

/// A counter that other threads announce their jobs with (eventfd).
final class SimulatedCounter: SimulatedDescriptor {
    private(set) var value: UInt64 = 0

    override func readiness(at time: Int64) -> EPOLL_EVENTS { value > 0 ? EPOLLIN : EPOLL_EVENTS(0) }

    override func read(_ buffer: UnsafeMutableRawBufferPointer, at time: Int64) -> Int {
        if value == 0 { return failure(EAGAIN) }
        buffer.storeBytes(of: value, as: UInt64.self)
        value = 0
        return 8
    }

    override func write(_ buffer: UnsafeRawBufferPointer) -> Int {
        value += buffer.load(as: UInt64.self)
        return 8
    }
}

/// A timer that is set to a time on the monotonic clock.
final class SimulatedTimer: SimulatedDescriptor {
    /// When it expires; nil if it is not set.
    var time: Int64?

    override func readiness(at now: Int64) -> EPOLL_EVENTS { isDue(at: now) ? EPOLLIN : EPOLL_EVENTS(0) }

    override func read(_ buffer: UnsafeMutableRawBufferPointer, at now: Int64) -> Int {
        guard isDue(at: now) else { return failure(EAGAIN) }
        buffer.storeBytes(of: 1, as: UInt64.self)
        time = nil
        return 8
    }

    private func isDue(at now: Int64) -> Bool { time.map { $0 <= now } ?? false }
}

/// The signals that the daemon reads.
final class SimulatedSignals: SimulatedDescriptor {
    var pending: [Int32] = []

    override func readiness(at time: Int64) -> EPOLL_EVENTS { pending.isEmpty ? EPOLL_EVENTS(0) : EPOLLIN }

    override func read(_ buffer: UnsafeMutableRawBufferPointer, at time: Int64) -> Int {
        if pending.isEmpty { return failure(EAGAIN) }
        var information = signalfd_siginfo()
        // As in the system, the one with the lowest number comes first, however often it was sent.
        let next = pending.min() ?? 0
        pending.removeAll { $0 == next }
        information.ssi_signo = UInt32(next)
        withUnsafeBytes(of: information) { buffer.copyMemory(from: $0) }
        return MemoryLayout<signalfd_siginfo>.size
    }
}

/// What is in a pipe, and who has its ends.
final class SimulatedPipe {
    var bytes: [UInt8] = []
    var writerCount = 0
    var hasReader = true
}

/// The end of a pipe that the daemon reads.
final class PipeReader: SimulatedDescriptor {
    let pipe: SimulatedPipe

    init(_ pipe: SimulatedPipe) {
        self.pipe = pipe
    }

    override func readiness(at time: Int64) -> EPOLL_EVENTS {
        var events: UInt32 = 0
        if !pipe.bytes.isEmpty { events |= EPOLLIN.rawValue }
        if pipe.writerCount == 0 { events |= EPOLLHUP.rawValue }
        return EPOLL_EVENTS(events)
    }

    override func read(_ buffer: UnsafeMutableRawBufferPointer, at time: Int64) -> Int {
        if pipe.bytes.isEmpty { return pipe.writerCount == 0 ? 0 : failure(EAGAIN) }
        let piece = pipe.bytes.prefix(buffer.count)
        buffer.copyBytes(from: piece)
        pipe.bytes.removeFirst(piece.count)
        return piece.count
    }

    override func close() { pipe.hasReader = false }
}

/// The end of a pipe that a program writes to.
final class PipeWriter: SimulatedDescriptor {
    let pipe: SimulatedPipe

    init(_ pipe: SimulatedPipe) {
        self.pipe = pipe
        pipe.writerCount += 1
    }

    override func close() { pipe.writerCount -= 1 }
}

/// A file in memory.
final class SimulatedFile: SimulatedDescriptor {}

/// The descriptor of a process (pidfd).
final class ProcessHandle: SimulatedDescriptor {
    let process: SimulatedProcess
    private let reportsEnd: Bool

    init(_ process: SimulatedProcess, reportsEnd: Bool) {
        self.process = process
        self.reportsEnd = reportsEnd
    }

    override func readiness(at time: Int64) -> EPOLL_EVENTS {
        process.hasEnded && reportsEnd ? EPOLLIN : EPOLL_EVENTS(0)
    }
}
