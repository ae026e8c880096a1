import Foundation
import Glibc

/// Information in `/proc` about a process.
struct ProcessFacts {
    let identifier: pid_t

    /// Returns the resident memory and its anonymous part, in KiB.
    func memory() throws -> (resident: Double, anonymous: Double) {
        let fields = try fields(of: "smaps_rollup")
        guard let resident = fields["Rss"], let anonymous = fields["Anonymous"] else {
            throw BenchmarkError("/proc tells no memory of process \(identifier)")
        }
        return (resident, anonymous)
    }

    /// Returns the processor time of its first thread, in milliseconds.
    ///
    /// It is exact while the thread sleeps, and up to a kernel tick late while it runs.
    func processorTimeOfFirstThread() throws -> Double {
        guard let word = try text(of: "task/\(identifier)/schedstat").split(separator: " ").first,
            let time = Double(word)
        else { throw BenchmarkError("/proc tells no processor time of process \(identifier)") }
        return time / 1e6
    }

    /// Returns its children.
    func children() throws -> [pid_t] {
        try text(of: "task/\(identifier)/children").split(separator: " ").compactMap { pid_t($0) }
    }

    private func text(of file: String) throws -> String {
        try String(decoding: Data(contentsOf: URL(fileURLWithPath: "/proc/\(identifier)/\(file)")), as: UTF8.self)
    }

    /// Parses a file with one name and value per line.
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
