import CLinux
import Glibc

/// The kernel's information about a process.
package struct ProcessState {
    private let id: Int32

    /// Creates the information for a process ID.
    package init(of id: Int32) {
        self.id = id
    }

    /// All processes of the system.
    package static var all: [ProcessState] {
        get throws { try namesInFolder("/proc").compactMap { Int32($0).map(ProcessState.init) } }
    }

    /// The path of its program; nil if it has ended or is a kernel thread.
    package var program: String? {
        guard let path = realpath("/proc/\(id)/exe", nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// The number of bytes of resident memory.
    package var residentSize: Int { get throws { try number(of: "VmRSS:") * 1024 } }

    /// The number of those bytes that are private: file pages do not count, because they increase with the code that has run.
    package var anonymousSize: Int { get throws { try number(of: "RssAnon:") * 1024 } }

    /// The peak of `residentSize`, in bytes.
    package var peakSize: Int { get throws { try number(of: "VmHWM:") * 1024 } }

    /// The number of voluntary context switches of all its threads.
    package var voluntarySwitches: Int {
        get throws {
            // A thread may have ended meanwhile.
            try namesInFolder("/proc/\(id)/task").reduce(0) { sum, thread in
                sum + ((try? number(of: "voluntary_ctxt_switches:", in: "/proc/\(id)/task/\(thread)/status")) ?? 0)
            }
        }
    }

    /// Its processor time in user and kernel mode.
    package var processorTime: Duration {
        get throws {
            let text = try textOfFile("/proc/\(id)/stat")
            // The name of the program is in parentheses and may contain blanks.
            let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
            guard fields.count > 13, let user = Int(fields[12]), let system = Int(fields[13]) else {
                throw TestFailure("cannot read /proc/\(id)/stat")
            }
            return .milliseconds((user + system) * 1000 / sysconf(Int32(_SC_CLK_TCK)))
        }
    }

    /// Its open descriptors.
    package var descriptors: [Int] { get throws { try namesInFolder("/proc/\(id)/fd").compactMap { Int($0) } } }

    /// The number of open descriptors.
    ///
    /// Of its sockets, only Unix stream sockets count: a datagram socket is open while another thread notifies the service
    /// manager, which the counting test cannot await (proc_pid_net(5)).
    package var descriptorCount: Int {
        get throws {
            // A descriptor may have been closed meanwhile.
            let targets = try descriptors.compactMap { targetOfLink("/proc/\(id)/fd/\($0)") }
            let streams = Set(
                try textOfFile("/proc/\(id)/net/unix").split(separator: "\n").compactMap { line -> Substring? in
                    let fields = line.split(separator: " ", maxSplits: 7)
                    return fields.count > 6 && fields[4] == "0001" ? fields[6] : nil
                })
            return targets.count { target in
                let prefix = "socket:["
                return !target.hasPrefix(prefix) || streams.contains(target.dropFirst(prefix.count).dropLast())
            }
        }
    }

    /// Duplicates all its descriptors in this process (pidfd_getfd(2)).
    package func copyDescriptors() throws -> [Int32] {
        let handle = try TestFailure.check("pidfd_open", pidfd_open(id, 0))
        defer { close(handle) }
        return try descriptors.compactMap { descriptor in
            let copy = pidfd_getfd(handle, Int32(descriptor), 0)
            // The descriptor may have been closed meanwhile.
            return copy < 0 && errno == EBADF ? nil : try TestFailure.check("pidfd_getfd", copy)
        }
    }

    /// Whether programs that it starts inherit one of its descriptors (proc_pid_fdinfo(5)).
    package func isInherited(descriptor: Int) throws -> Bool {
        let path = "/proc/\(id)/fdinfo/\(descriptor)"
        let line = try textOfFile(path).split(separator: "\n").first { $0.hasPrefix("flags:") }
        guard let digits = line?.split(whereSeparator: \.isWhitespace).last, let flags = Int32(digits, radix: 8) else {
            throw TestFailure("cannot read \(path)")
        }
        return flags & O_CLOEXEC == 0
    }

    /// Returns the descriptor limit under which it can open a given number of further descriptors.
    package func descriptorLimit(leaving spare: Int) throws -> Int {
        let descriptors = Set(try descriptors)
        var limit = 0
        var free = -spare
        // It may have inherited high-numbered descriptors from a concurrent test.
        while free < 0 || descriptors.contains(limit) {
            if !descriptors.contains(limit) { free += 1 }
            limit += 1
        }
        return limit
    }

    /// Its children that are not reaped.
    package var children: [Int32] {
        get throws {
            try namesInFolder("/proc").compactMap { Int32($0) }.filter { process in
                // A process may have ended meanwhile.
                guard let text = try? textOfFile("/proc/\(process)/stat") else { return false }
                let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
                return fields.count > 2 && Int32(fields[2]) == id
            }
        }
    }

    private func number(of key: String, in path: String? = nil) throws -> Int {
        let text = try textOfFile(path ?? "/proc/\(id)/status")
        for line in text.split(separator: "\n") where line.hasPrefix(key) {
            let words = line.dropFirst(key.count).split { $0 == " " || $0 == "\t" }
            if let number = words.first.flatMap({ Int($0) }) { return number }
        }
        throw TestFailure("no \(key) for process \(id)")
    }
}
