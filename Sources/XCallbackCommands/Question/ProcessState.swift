import Glibc
import XCallbackLinux

/// What the kernel tells of a process (`/proc/PID/stat`).
struct ProcessState {
    /// Its number.
    let id: Int32
    /// Whether it sleeps until something happens.
    let isAsleep: Bool
    /// How long its threads have been executed, in ticks of the clock.
    let processorTime: UInt64
    /// When it has started, in ticks of the clock.
    let startTime: UInt64

    /// Looks at a process; nil if that is gone or may not be looked at.
    init?(of id: Int32) {
        let descriptor = open("/proc/\(id)/stat", O_RDONLY | O_CLOEXEC)
        guard id > 0, descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        // The name of the program stands in parentheses, and may hold both blanks and parentheses.
        guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)..<count].split(separator: UInt8(ascii: " "))
            .map { String(decoding: $0, as: UTF8.self) }
        guard fields.count > 19, let user = UInt64(fields[11]), let system = UInt64(fields[12]),
            let start = UInt64(fields[19])
        else { return nil }
        self.id = id
        isAsleep = fields[0] == "S"
        processorTime = user + system
        startTime = start
    }

    /// This process.
    static var own: ProcessState? { ProcessState(of: getpid()) }

    /// The program that the process runs: its path, else its name, which the process can change; nil if neither is told.
    var program: String? {
        if let path = try? programPath(ofProcess: "\(id)") { return String(decoding: path, as: UTF8.self) }
        let descriptor = open("/proc/\(id)/comm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 1 ? String(decoding: bytes[..<(count - 1)], as: UTF8.self) : nil
    }
}
