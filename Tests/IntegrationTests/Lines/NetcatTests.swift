import Glibc
import Testing
import XCallbackTesting

/// The socket with a common tool.
@Suite(.blocking)
struct NetcatTests {
    @Test(.timeLimit(.minutes(10)))
    func netcatIsAllThatAClientNeeds() throws {
        try #require(access("/usr/bin/nc", X_OK) == 0, "nc is missing: install the package netcat-openbsd")
        let daemon = try RunningDaemon(
            """
            schemes: [notes]
            routes:
              - route: notes:/create
                respond: { title: "{title}" }

            """)
        let line = #"notes:/create?title=Hi&x-success=app%%3A%%2F%%2Fdone%%3Fid%%3D7\n"#
        let answer = daemon.directory.path(of: "answer")
        let shell = try ChildProcess(
            ["/bin/sh", "-c", "printf '\(line)' | /usr/bin/nc -N -U '\(daemon.socket)'"],
            output: answer, error: daemon.directory.path(of: "complaints"))
        #expect(try shell.wait() == 0)
        #expect(try daemon.directory.text(of: "answer") == "app://done?id=7&title=Hi\n")
        #expect(try daemon.directory.text(of: "complaints").isEmpty)
    }
}
