import Glibc
import Testing
import XCallbackTesting

/// The linked programs of the release build.
@Suite(.blocking, .releaseBuild, .timeLimit(.minutes(10)))
struct LinkedProgramTests {
    static let programs = ["xcallbackd", "xcallback"]

    /// What `checksec` reports.
    @Test func theProgramsAreHardened() throws {
        for name in Self.programs {
            let program = try LinkedProgram(installed: name)
            #expect(try program.output("readelf", "-hW").contains { $0.contains(/Type: +DYN/) }, "\(name)")
            let entries = try program.output("readelf", "-dW")
            let flags = entries.filter { $0.contains("(FLAGS_1)") }.joined()
            #expect(flags.contains("PIE") && flags.contains("NOW"), "\(name)")
            #expect(!entries.contains { $0.contains(/\((TEXTREL|RUNPATH|RPATH)\)|Flags:.*TEXTREL/) }, "\(name)")
            let segments = try program.output("readelf", "-lW")
            #expect(segments.contains { $0.contains("GNU_RELRO") }, "\(name)")
            #expect(segments.contains { $0.contains(#/GNU_STACK.* RW /#) }, "\(name)")
            #expect(!segments.contains { $0.contains(#/LOAD.* RWE /#) }, "\(name)")
            let needed = try program.output("nm", "--dynamic", "--undefined-only")
            #expect(needed.contains { $0.contains("__stack_chk_fail") }, "\(name)")
        }
    }

    /// Debuggers use it to find the symbols in their separate package.
    @Test(arguments: programs)
    func hasABuildID(name: String) throws {
        #expect(try LinkedProgram(name).output("readelf", "-nW").contains { $0.contains(/Build ID: [0-9a-f]{16,}$/) })
    }

    @Test func fewLibrariesAreLoaded() throws {
        let common: Set = ["libc.so.6", "libm.so.6", "libyaml-0.so.2", "libstdc++.so.6", "libgcc_s.so.1"]
        for (name, others) in [("xcallbackd", ["libsystemd.so.0"]), ("xcallback", [])] {
            let needed = try LinkedProgram(installed: name).neededLibraries.filter { !$0.hasPrefix("ld-linux") }
            #expect(Set(needed).subtracting(others).isSubset(of: common), "\(name)")
            #expect(Set(needed).isSuperset(of: others + ["libc.so.6"]), "\(name)")
        }
    }

    /// The README promises the version of Debian 12.
    @Test(arguments: programs)
    func noNewerLibraryIsRequired(name: String) throws {
        let lines = try LinkedProgram(name).output("readelf", "-VW")
        let versions = lines.compactMap { $0.firstMatch(of: /Name: GLIBC_2\.(\d+)/).flatMap { Int($0.1) } }
        #expect(try #require(versions.max()) <= 36)
    }

    /// The constructor of a library that uses mathematics runs before the program does.
    private static let mathematics = """
        #include <math.h>
        #include <stdio.h>
        __attribute__((constructor)) static void start(void) { volatile double x = 8; printf("%.3f\\n", log(x)); }
        """

    @Test(arguments: programs)
    func runsWithAPreloadedLibraryThatUsesMathematics(name: String) throws {
        let directory = try TemporaryDirectory()
        let library = try PreloadedLibrary(Self.mathematics, in: directory)
        let result = try Self.run(name, ["LD_PRELOAD=\(library.path)"], in: directory)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("2.079\n"))
    }

    private static let jemalloc: String? = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"]
        .map { "\($0)/libjemalloc.so.2" }.first { access($0, R_OK) == 0 }

    @Test(.enabled(if: jemalloc != nil, "libjemalloc2 is not installed"), arguments: programs)
    func runsWithAnotherAllocator(name: String) throws {
        let result = try Self.run(
            name, ["LD_PRELOAD=\(try #require(Self.jemalloc))", "MALLOC_CONF=prof:true"], in: TemporaryDirectory())
        #expect(result.status == 0, "\(result.output)")
    }

    private static func run(
        _ name: String, _ environment: [String], in directory: TemporaryDirectory
    ) throws -> (status: Int32, output: String) {
        let words =
            name == "xcallbackd" ? ["--check", "--config", "\(packageFolder)/config/config.yaml"] : ["--version"]
        let output = directory.path(of: "output")
        let process = try ChildProcess(
            [ReleaseBuild.program(name)] + words, environment: environment + ["HOME=\(directory.path)"],
            output: output, error: output)
        return (try process.wait(), try directory.text(of: "output"))
    }
}

/// The symbols of the programs.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct ProgramSymbolTests {
    /// A definition in the program would replace that of a library, also for the library itself.
    ///
    /// The programs of a release contain Swift's libraries, those of the debug build load them.
    @Test(arguments: LinkedProgramTests.programs)
    func nothingOfALibraryIsReplaced(name: String) throws {
        let released = ReleaseBuild.isCurrent ? [try ReleaseBuild.program(name)] : []
        for path in [try RunningDaemon.program(name)] + released {
            let program = LinkedProgram(path: path)
            let symbols = try program.replacingSymbols
            for library in try program.libraries {
                let replaced = symbols.intersection(try LinkedProgram.definedSymbols(of: library))
                #expect(replaced.isEmpty, "\(library) in \(path)")
            }
        }
    }
}
