import Foundation
import Glibc

/// What `/proc` tells of a process.
struct ProcessFacts {
    let identifier: pid_t

    /// Resident memory and, of it, what belongs to the process alone and to no file, in KiB.
    func memory() throws -> (resident: Double, anonymous: Double) {
        let fields = try fields(of: "smaps_rollup")
        guard let resident = fields["Rss"], let anonymous = fields["Anonymous"] else {
            throw BenchmarkError("/proc tells no memory of process \(identifier)")
        }
        return (resident, anonymous)
    }

    /// Of its resident memory what belongs to no file, in KiB.
    func anonymousMemory() throws -> Double {
        guard let anonymous = try fields(of: "status")["RssAnon"] else {
            throw BenchmarkError("/proc tells no memory of process \(identifier)")
        }
        return anonymous
    }

    /// How often its threads were switched to, so far.
    func wakeUps() throws -> Double {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/task").reduce(0) { sum, thread in
            let fields = try fields(of: "task/\(thread)/status")
            return sum + (fields["voluntary_ctxt_switches"] ?? 0) + (fields["nonvoluntary_ctxt_switches"] ?? 0)
        }
    }

    /// Its threads, by number.
    func threads() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/task").sorted()
    }

    /// The processor time of its first thread, in milliseconds.
    ///
    /// It is exact while the thread sleeps, and up to a tick of the kernel late while it works.
    func processorTimeOfFirstThread() throws -> Double {
        guard let word = try text(of: "task/\(identifier)/schedstat").split(separator: " ").first,
            let time = Double(word)
        else { throw BenchmarkError("/proc tells no processor time of process \(identifier)") }
        return time / 1e6
    }

    /// The processes that it has started.
    func children() throws -> [pid_t] {
        try text(of: "task/\(identifier)/children").split(separator: " ").compactMap { pid_t($0) }
    }

    private func text(of file: String) throws -> String {
        try String(decoding: Data(contentsOf: URL(fileURLWithPath: "/proc/\(identifier)/\(file)")), as: UTF8.self)
    }

    /// The numbers of a file with a name and a value a line.
    private func fields(of file: String) throws -> [String: Double] {
        var fields: [String: Double] = [:]
        for line in try text(of: file).split(separator: "\n") {
            let words = line.split(whereSeparator: { $0 == ":" || $0 == " " || $0 == "\t" })
            guard words.count > 1, let value = Double(words[1]) else { continue }
            fields[String(words[0])] = value
        }
        return fields
    }
}
