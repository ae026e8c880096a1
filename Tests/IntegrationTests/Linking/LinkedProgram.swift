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

    /// The texts in the program, and in what it has for debuggers.
    var texts: [Substring] {
        get throws { try lines(of: "strings", "--all") }
    }

    /// What `readelf` tells of the notes in the program.
    var notes: [Substring] {
        get throws { try lines(of: "readelf", "-nW") }
    }

    /// The lines of `readelf` on what the loader is told.
    var dynamicEntries: [Substring] {
        get throws { try lines(of: "readelf", "-dW") }
    }

    /// The versions of a library that the program needs: of its functions, such as `2.34`, and of what its loader can do,
    /// such as `ABI_DT_RELR`.
    ///
    /// - Parameter library: The start of the version's name: `GLIBC_`.
    /// - Returns: What follows that in the names.
    /// - Throws: ``TestFailure`` if it cannot be read.
    func versions(of library: String) throws -> [Substring] {
        try lines(of: "readelf", "-VW").compactMap { line in
            line.firstRange(of: " \(library)").map { line[$0.upperBound...].prefix { $0 != " " } }
        }
    }

    /// The highest version of a library's functions that the program needs, such as `[2, 34]`.
    ///
    /// - Parameter library: The start of the version's name: `GLIBC_`.
    /// - Returns: The parts of the version; empty if it needs nothing of the library.
    /// - Throws: ``TestFailure`` if it cannot be read.
    func version(of library: String) throws -> [Int] {
        let versions = try versions(of: library).map { $0.split(separator: ".").compactMap { Int($0) } }
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
