import CMeasure
import Foundation

/// A program that does one thing and exits.
struct ShortProgram {
    /// The path of the program, and its arguments.
    private let command: [String]
    /// The file of its standard input.
    private let input: String
    /// A text in its output that proves success.
    private let answer: String

    /// Creates a program by its path, or by its name in a folder of `PATH`; nil if not installed.
    init?(_ program: String, _ arguments: [String] = [], input: String = "/dev/null", answer: String = "") {
        guard let path = Self.path(of: program) else { return nil }
        command = [path] + arguments
        self.input = input
        self.answer = answer
    }

    private static func path(of program: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        let paths = program.contains("/") ? [program] : folders.map { "\($0)/\(program)" }
        return paths.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs the program.
    ///
    /// - Returns: The milliseconds from its start to its end.
    /// - Throws: ``BenchmarkError`` if it fails or its output is wrong.
    func run() throws -> Double {
        var output = [UInt8](repeating: 0, count: 4096)
        var length = output.count
        let time = withStrings(command) { measure_program($0, input, &output, &length) }
        let text = String(decoding: output.prefix(length), as: UTF8.self)
        guard time > 0, answer.isEmpty || text.contains(answer) else {
            throw BenchmarkError("'\(command.joined(separator: " "))' has failed; its output:\n\(text)")
        }
        return Double(time) / 1e6
    }
}
