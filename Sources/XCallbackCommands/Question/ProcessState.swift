import Glibc
import XCallbackLinux

/// The state of a process according to the kernel (`/proc/PID/stat`).
struct ProcessState {
    /// The process ID.
    let id: Int32
    /// The ID of the parent process.
    let parentID: Int32
    /// The start time, in clock ticks.
    let startTime: UInt64

    /// Reads the state of a process; nil if it has ended or may not be inspected.
    init?(of id: Int32) {
        let descriptor = open("/proc/\(id)/stat", O_RDONLY | O_CLOEXEC)
        guard id > 0, descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        // The name of the program is in parentheses, and may contain blanks and parentheses.
        guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)..<count].split(separator: UInt8(ascii: " "))
            .map { String(decoding: $0, as: UTF8.self) }
        guard fields.count > 19, let parent = Int32(fields[1]), let start = UInt64(fields[19]) else { return nil }
        self.id = id
        parentID = parent
        startTime = start
    }

    /// This process.
    static var own: ProcessState? { ProcessState(of: getpid()) }

    /// The path of the program, or else its name, which the process can change; nil if neither is available.
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
