import CLinux
import Glibc
import XCallbackLinux

/// The signals that a loop reads; they must be blocked in all threads.
struct Signals: ~Copyable {
    private let queue: Descriptor

    init(_ numbers: [Int32]) throws(SystemError) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        queue = Descriptor(
            try SystemError.check("signalfd") { xcb_signals(&set, Int32(SFD_NONBLOCK | SFD_CLOEXEC)) })
    }

    var descriptor: Int32 { queue.number }

    /// Takes the next signal; nil if there is none now.
    func next() -> Int32? {
        var info = signalfd_siginfo()
        let count = xcb_read(queue.number, &info, MemoryLayout<signalfd_siginfo>.size)
        return count == MemoryLayout<signalfd_siginfo>.size ? Int32(info.ssi_signo) : nil
    }
}
