import Glibc
import XCallbackTesting

/// A shared library for `LD_PRELOAD`, compiled from C.
struct PreloadedLibrary {
    let path: String

    /// Compiles a library with the compiler that is part of Swift.
    ///
    /// - Parameters:
    ///   - source: The text of the program.
    ///   - directory: The folder of the library.
    /// - Throws: ``TestFailure`` if it cannot be compiled.
    init(_ source: String, in directory: TemporaryDirectory) throws {
        path = directory.path(of: "preloaded.so")
        let file = try directory.write(source, to: "preloaded.c")
        let log = directory.path(of: "preloaded.log")
        let words = ["clang", "-shared", "-fPIC", "-fno-builtin", "-o", path, file, "-lm"]
        let search = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let compiler = try ChildProcess(
            ["/usr/bin/env"] + words, environment: ["PATH=\(search)"], output: log, error: log)
        guard try compiler.wait() == 0 else { throw TestFailure("clang: \(try directory.text(of: "preloaded.log"))") }
    }
}
