import Glibc
import Testing
import XCallbackTesting

/// The linked programs of the release build.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct LinkedProgramTests {
    /// The maximum sizes in megabytes, slightly above the actual ones.
    @Test(arguments: [("xcallbackd", 10.8), ("xcallback", 11.7)])
    func isSmall(name: String, limit: Double) throws {
        let size = Double(try LinkedProgram(name).strippedSize) / 1e6
        #expect(size <= limit, "\(name) has \(size) MB")
    }

    /// The only symbols of Foundation are replacements that keep it out, which yield to the real ones.
    @Test(arguments: ["xcallbackd", "xcallback"])
    func nothingIsLinkedThatNobodyNeeds(name: String) throws {
        let symbols = try LinkedProgram(name).symbols
        #expect(symbols.count > 10_000)
        #expect(!symbols.contains { $0.contains("12_RegexParser") || $0.contains("17_StringProcessing") })
        #expect(!symbols.contains { $0.contains("20FoundationEssentials4DateV") || $0.contains("22_FoundationColl") })
        #expect(symbols.filter { $0.contains("20FoundationEssentials") }.count < 20)
        #expect(!symbols.contains { $0.contains("_swift_stdlib_names") })
        // From Swift's module Glibc, and from backtraces.
        #expect(!symbols.contains { $0.contains("$s5Glibc14POSIXErrorCode") || $0.contains("_swift_spawnBacktracer") })
    }

    /// Calls of these functions would end the release programs only.
    @Test func nothingCallsTheFunctionsThatMathematicsRefuses() throws {
        let source = try textOfPackageFile("Sources/CArguments/Mathematics.c")
        let refused = source.split(separator: "\n").compactMap { line in
            line.hasPrefix("REFUSED(") ? line.dropFirst("REFUSED(".count).prefix { $0 != ")" } : nil
        }
        #expect(refused.count > 10)
        let called = Set(try LinkedProgram("xcallbackd").neededSymbols)
        #expect(called.contains("memcpy"))
        for name in refused {
            let forms = ["\(name)", "\(name)f", "\(name)l"].filter { called.contains($0[...]) }
            #expect(forms.isEmpty, "implement it in Mathematics.c")
        }
    }

    @Test(arguments: ["xcallbackd", "xcallback"])
    func onlyVariablesCanBeWritten(name: String) throws {
        let program = try LinkedProgram(name)
        let segments = try program.segments
        let loaded = segments.filter { $0.kind == "LOAD" }
        #expect(loaded.map(\.rights) == ["R", "RE", "RW", "RW"])
        #expect(loaded.first?.sections.contains(".rodata") == true)
        #expect(loaded.first?.sections.contains(".eh_frame") == true)
        let variables = Set(loaded.last?.sections ?? [])
        #expect(variables.isSubset(of: [".tm_clone_table", ".data", ".bss"]))
        // Data that the loader writes is read-only before the program starts.
        let protected = segments.first { $0.kind == "GNU_RELRO" }
        #expect(protected?.rights == "R")
        #expect(protected.map { $0.sections == loaded[2].sections } == true)
        #expect(segments.first { $0.kind == "GNU_STACK" }?.rights == "RW")
        let entries = try program.dynamicEntries
        #expect(entries.contains { $0.contains("Flags: NOW") })
        // Only the daemon is loaded at a random address; the command must start quickly.
        #expect(entries.contains { $0.contains("Flags: NOW PIE") } == (name == "xcallbackd"))
        #expect(!entries.contains { $0.contains("TEXTREL") || $0.contains("RUNPATH") || $0.contains("RPATH") })
    }

    /// Otherwise, the same sources would give different programs elsewhere; 'make reproducible' compares two.
    @Test(arguments: ["xcallbackd", "xcallback"])
    func nothingTellsWhereItWasBuilt(name: String) throws {
        let home = getenv("HOME").map { String(cString: $0) } ?? "/"
        let places = [packageFolder, "\(home)/"].filter { $0.utf8.count > 2 }
        let found = try LinkedProgram(name).texts.filter { text in places.contains { text.contains($0) } }
        #expect(found.isEmpty, "\(found.prefix(5))")
    }

    /// Debuggers use it to find the symbols in their separate package.
    @Test(arguments: ["xcallbackd", "xcallback"])
    func hasABuildID(name: String) throws {
        #expect(try LinkedProgram(name).notes.contains { $0.contains(/Build ID: [0-9a-f]{40}$/) })
    }

    /// The C library, and for the daemon also systemd's.
    @Test(arguments: [("xcallbackd", ["libsystemd"]), ("xcallback", [])])
    func fewLibrariesAreLoaded(name: String, others: [String]) throws {
        let needed = try LinkedProgram(name).dynamicEntries.filter { $0.contains("(NEEDED)") }
        for library in needed {
            #expect(
                (["libc.so", "ld-linux"] + others).contains { library.contains("[\($0)") }, "\(library)")
        }
        #expect(needed.count >= 2)
    }

    /// The versions in Ubuntu 22.04 and RHEL 9: 2.35 and 2.34, and systemd 249 and 252.
    @Test(arguments: ["xcallbackd", "xcallback"])
    func olderSystemsHaveWhatIsUsed(name: String) throws {
        let program = try LinkedProgram(name)
        let version = try program.version(of: "GLIBC_")
        #expect(version.count > 1 && !([2, 34].lexicographicallyPrecedes(version)), "\(version)")
        // Packed relocations require the loader of 2.36.
        #expect(try program.versions(of: "GLIBC_ABI_").isEmpty)
        let systemd = try program.version(of: "LIBSYSTEMD_")
        #expect(!([249].lexicographicallyPrecedes(systemd)), "\(systemd)")
        #expect(systemd.isEmpty == (name == "xcallback"))
    }

    /// ArgumentParser checks errors for a protocol of Foundation, and uses Foundation for JSON.
    @Test(arguments: [
        (["status", "nowhere"], "Error: Unexpected argument 'nowhere'\n"),
        (["--experimental-dump-help"], "Error: This program cannot print its help as JSON.\n"),
    ])
    func theCommandGoesWithoutFoundation(words: [String], beginning: String) throws {
        let directory = try TemporaryDirectory()
        let output = directory.path(of: "output")
        let command = try ChildProcess([ReleaseBuild.program("xcallback")] + words, output: output, error: output)
        #expect(try command.wait() == EX_USAGE)
        #expect(try directory.text(of: "output").hasPrefix(beginning))
    }
}
