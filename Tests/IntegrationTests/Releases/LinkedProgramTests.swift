import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The linked programs of the release build.
@Suite(.blocking, .releaseBuild)
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

    @Test func fewLibrariesAreLoaded() throws {
        let common: Set = ["libc.so.6", "libm.so.6", "libyaml-0.so.2", "libstdc++.so.6", "libgcc_s.so.1"]
        for (name, others) in [("xcallbackd", ["libsystemd.so.0"]), ("xcallback", [])] {
            let needed = try LinkedProgram(installed: name).neededLibraries.filter { !$0.hasPrefix("ld-linux") }
            #expect(Set(needed).subtracting(others).isSubset(of: common), "\(name)")
            #expect(Set(needed).isSuperset(of: others + ["libc.so.6"]), "\(name)")
        }
    }

    /// The README promises the version of Debian 12, where releases are built; a newer machine links newer functions.
    @Test(arguments: programs)
    func noNewerLibraryIsRequired(name: String) throws {
        let lines = try LinkedProgram(name).output("readelf", "-VW")
        let versions = lines.compactMap { $0.firstMatch(of: /Name: GLIBC_2\.(\d+)/).flatMap { Int($0.1) } }
        let libc = try ChildProcess.run(["/usr/bin/getconf", "GNU_LIBC_VERSION"]).output
        let own = try #require(libc.firstMatch(of: /2\.(\d+)/).flatMap { Int($0.1) })
        #expect(try #require(versions.max()) <= max(36, own))
    }
}
