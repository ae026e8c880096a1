import Glibc
package import Testing
import XCallbackTesting

/// The release build, which some tests need.
///
/// `make test` makes it first.
package enum ReleaseBuild {
    /// Whether both programs exist, and a build has written files since the last change of a source.
    ///
    /// A build links only the programs that contain a change, so either program can be older than a source of the other.
    package static let isCurrent = {
        let script = #"""
            cd "$0" && test -x "$1/xcallbackd" -a -x "$1/xcallback" || exit 1
            newest=$(find Sources Package.swift -name '*.swift' -o -name '*.[ch]' | xargs ls -t | head -n 1)
            test -n "$(find "$1/" -type f -newer "$newest" -print -quit)"
            """#
        let words = ["/bin/sh", "-c", script, packageFolder, (try? path(of: "")) ?? "/"]
        return (try? ChildProcess.run(words))?.status == 0
    }()

    /// Returns the path of a program.
    ///
    /// Without a current build, the test is cancelled.
    package static func program(_ name: String) throws -> String {
        let path = try path(of: name)
        if !isCurrent || access(path, X_OK) != 0 { try Test.cancel(absence) }
        return path
    }

    fileprivate static let absence: Comment =
        "the release build is missing or older than the sources: run 'make release'"

    private static func path(of name: String) throws -> String {
        // The folders of both builds are side by side.
        try RunningDaemon.program("../release/\(name)")
    }
}

extension Trait where Self == ConditionTrait {
    /// The test is skipped without a current release build.
    ///
    /// The log shows the reason also for a test with arguments, unlike that of a cancelled one.
    package static var releaseBuild: Self { .enabled(if: ReleaseBuild.isCurrent, ReleaseBuild.absence) }
}
