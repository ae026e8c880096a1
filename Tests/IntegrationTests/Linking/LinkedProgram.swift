import CLinux
import Glibc
import XCallbackTesting

/// A program of the release build, as tools for programs see it.
struct LinkedProgram {
    private let path: String
    private let directory: TemporaryDirectory

    /// Finds a program.
    ///
    /// - Throws: ``TestFailure`` if the release build is not there.
    init(_ name: String) throws {
        path = try ReleaseBuild.program(name)
        directory = try TemporaryDirectory()
    }

    /// The lines of `nm` on what the program defines.
    var symbols: [Substring] {
        get throws { try lines(of: "nm", "--defined-only") }
    }

    /// The size of the program as it is installed, in bytes.
    var strippedSize: Int {
        get throws {
            let stripped = directory.path(of: "stripped")
            _ = try lines(of: "strip", "-o", stripped)
            var facts = stat()
            guard stat(stripped, &facts) == 0 else { throw TestFailure("there is no stripped program") }
            return Int(facts.st_size)
        }
    }

    /// The segments that are loaded, each with its rights and with the sections in it.
    var segments: [(kind: Substring, rights: String, sections: [Substring])] {
        get throws {
            let lines = try lines(of: "readelf", "-lW")
            let table = lines.drop { !$0.contains("Program Headers:") }.dropFirst(2)
            let headers = table.prefix { !$0.contains(" Section to") }.filter { $0.contains(" 0x") }
            let sections = lines.drop { !$0.contains("Segment Sections") }.dropFirst()
            return zip(headers, sections).map { header, sections in
                let words = header.split(separator: " ")
                // Offset, two addresses and two sizes come first, and the alignment is the last.
                let rights = words.dropFirst(6).dropLast().joined()
                return (words[0], rights, Array(sections.split(separator: " ").dropFirst()))
            }
        }
    }

    /// The lines of `readelf` on what the loader is told.
    var dynamicEntries: [Substring] {
        get throws { try lines(of: "readelf", "-dW") }
    }

    /// The highest version of a library that the program asks for with a function or a variable, such as `[2, 34]`.
    ///
    /// - Parameter library: What stands before the version: `GLIBC_`.
    /// - Returns: The parts of the version; none if nothing of the library is used.
    /// - Throws: ``TestFailure`` if it cannot be told.
    func version(of library: String) throws -> [Int] {
        let versions = try lines(of: "readelf", "-W", "--dyn-syms").compactMap { line -> [Int]? in
            guard let start = line.firstRange(of: "@\(library)")?.upperBound else { return nil }
            return line[start...].prefix { $0 == "." || $0.isNumber }.split(separator: ".").compactMap { Int($0) }
        }
        return versions.max { $0.lexicographicallyPrecedes($1) } ?? []
    }

    private func lines(of tool: String, _ options: String...) throws -> [Substring] {
        let output = directory.path(of: "output")
        let process = try ChildProcess(
            ["/usr/bin/\(tool)"] + options + [path], output: output, error: directory.path(of: "complaints"))
        guard try process.wait() == 0 else { throw TestFailure(try directory.text(of: "complaints")) }
        return try directory.text(of: "output").split(separator: "\n")
    }
}
