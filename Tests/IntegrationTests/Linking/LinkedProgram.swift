import CLinux
import Glibc
import XCallbackTesting

/// A program of the release build, as binary tools see it.
struct LinkedProgram {
    private let path: String
    private let folder: String
    private let directory: TemporaryDirectory

    /// Finds a program.
    ///
    /// - Throws: ``TestFailure`` if the release build is missing.
    init(_ name: String) throws {
        path = try ReleaseBuild.program(name)
        folder = String(path.dropLast(name.utf8.count + 1))
        directory = try TemporaryDirectory()
    }

    /// The output lines of `nm` for the program's definitions.
    var symbols: [Substring] {
        get throws { try lines(of: "nm", "--defined-only") }
    }

    /// The undefined symbols in the objects of both programs, without those of the tests.
    var neededSymbols: [Substring] {
        get throws {
            let script = "cd $0 && find . -name '*.o' ! -path '*Tests.build/*' -exec nm -u {} +"
            return try lines(running: ["/bin/sh", "-c", script, folder]).compactMap { $0.split(separator: " ").last }
        }
    }

    /// The size of the installed program, in bytes.
    var strippedSize: Int {
        get throws {
            let stripped = directory.path(of: "stripped")
            _ = try lines(of: "strip", "-o", stripped)
            var facts = stat()
            guard stat(stripped, &facts) == 0 else { throw TestFailure("there is no stripped program") }
            return Int(facts.st_size)
        }
    }

    /// The loaded segments, each with its permissions and its sections.
    var segments: [(kind: Substring, rights: String, sections: [Substring])] {
        get throws {
            let lines = try lines(of: "readelf", "-lW")
            let table = lines.drop { !$0.contains("Program Headers:") }.dropFirst(2)
            let headers = table.prefix { !$0.contains(" Section to") }.filter { $0.contains(" 0x") }
            let sections = lines.drop { !$0.contains("Segment Sections") }.dropFirst()
            return zip(headers, sections).map { header, sections in
                let words = header.split(separator: " ")
                // Offset, two addresses and two sizes precede the permissions, and the alignment is the last.
                let rights = words.dropFirst(6).dropLast().joined()
                return (words[0], rights, Array(sections.split(separator: " ").dropFirst()))
            }
        }
    }

    /// The strings in the program, including its debug information.
    var texts: [Substring] {
        get throws { try lines(of: "strings", "--all") }
    }

    /// The output of `readelf` for the program's notes.
    var notes: [Substring] {
        get throws { try lines(of: "readelf", "-nW") }
    }

    /// The output lines of `readelf` for the dynamic section.
    var dynamicEntries: [Substring] {
        get throws { try lines(of: "readelf", "-dW") }
    }

    /// Returns the required versions of a library: those of its functions, such as `2.34`, and of loader features, such as
    /// `ABI_DT_RELR`.
    ///
    /// - Parameter library: The start of the version's name: `GLIBC_`.
    /// - Returns: The rest of the versions' names.
    /// - Throws: ``TestFailure`` if it cannot be read.
    func versions(of library: String) throws -> [Substring] {
        try lines(of: "readelf", "-VW").compactMap { line in
            line.firstRange(of: " \(library)").map { line[$0.upperBound...].prefix { $0 != " " } }
        }
    }

    /// Returns the highest required version of a library's functions, such as `[2, 34]`.
    ///
    /// - Parameter library: The start of the version's name: `GLIBC_`.
    /// - Returns: The parts of the version; empty if the library is not required.
    /// - Throws: ``TestFailure`` if it cannot be read.
    func version(of library: String) throws -> [Int] {
        let versions = try versions(of: library).map { $0.split(separator: ".").compactMap { Int($0) } }
        return versions.max { $0.lexicographicallyPrecedes($1) } ?? []
    }

    private func lines(of tool: String, _ options: String...) throws -> [Substring] {
        try lines(running: ["/usr/bin/\(tool)"] + options + [path])
    }

    private func lines(running command: [String]) throws -> [Substring] {
        let output = directory.path(of: "output")
        let process = try ChildProcess(command, output: output, error: directory.path(of: "complaints"))
        guard try process.wait() == 0 else { throw TestFailure(try directory.text(of: "complaints")) }
        return try directory.text(of: "output").split(separator: "\n")
    }
}
