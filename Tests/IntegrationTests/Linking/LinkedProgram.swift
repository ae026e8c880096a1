import Testing
import XCallbackTesting

/// A program of this package, as binary tools see it.
struct LinkedProgram {
    /// The path of the program.
    let path: String

    init(path: String) {
        self.path = path
    }

    /// Finds a program of the release build.
    init(_ name: String) throws {
        self.init(path: try ReleaseBuild.program(name))
    }

    /// Finds a program of the release build that contains Swift's libraries, as those of `make release` do.
    ///
    /// If it is that of a plain `swift build`, the test is cancelled.
    init(installed name: String) throws {
        try self.init(name)
        if try neededLibraries.contains(where: { $0.hasPrefix("libswift") }) {
            try Test.cancel("the release build is a plain one: run 'make release'")
        }
    }

    /// The file names of the libraries that it names.
    var neededLibraries: [String] {
        get throws {
            try output("readelf", "-dW").filter { $0.contains("(NEEDED)") }
                .compactMap { $0.firstMatch(of: /\[(.*)\]/).map { String($0.1) } }
        }
    }

    /// The paths of all libraries that the loader loads for it, and of libm in any case.
    var libraries: Set<String> {
        get throws {
            let loaded = try output("ldd").compactMap { $0.firstMatch(of: /=> (\/\S+)/).map { String($0.1) } }
            return Set(loaded + loaded.map { $0.replacing("/libc.so.", with: "/libm.so.") })
        }
    }

    /// The names of the symbols that other files can use instead of those of a library.
    ///
    /// A variable of a library that the program copies (`R_X86_64_COPY`) is not a replacement.
    var replacingSymbols: Set<String> {
        get throws {
            let copies = try output("readelf", "-rW").filter { $0.contains("_COPY") }
                .compactMap { $0.split(separator: " ").dropFirst(4).first.map(Self.name) }
            // The linker defines these in each file.
            return try Self.definedSymbols(of: path).subtracting(copies + ["__bss_start", "_edata", "_end"])
        }
    }

    /// Returns the output lines of a tool for the program.
    func output(_ tool: String, _ options: String...) throws -> [Substring] {
        try Self.output([tool] + options + [path])
    }

    /// The names of the symbols that a file defines for others.
    static func definedSymbols(of path: String) throws -> Set<String> {
        Set(try output(["nm", "--dynamic", "--defined-only", "--format=just-symbols", path]).map(name))
    }

    /// The name of a symbol without its version.
    private static func name(of symbol: Substring) -> String { String(symbol.prefix { $0 != "@" }) }

    private static func output(_ words: [String]) throws -> [Substring] {
        let directory = try TemporaryDirectory()
        let process = try ChildProcess(
            ["/usr/bin/env"] + words, environment: ["PATH=/usr/bin:/bin"], output: directory.path(of: "output"),
            error: directory.path(of: "errors"))
        guard try process.wait() == 0 else { throw TestFailure("\(words[0]): \(try directory.text(of: "errors"))") }
        return try directory.text(of: "output").split(separator: "\n")
    }
}
