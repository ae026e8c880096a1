import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The daemon's findings about the real processes that connect to it.
@Suite(.blocking)
struct PeerProgramTests {
    private static let isRoot = geteuid() == 0
    private static let success = "xcallback://x-callback-url/success?ok=1"

    /// Returns the output of a program that sends a request to a daemon, as netcat does.
    ///
    /// - Parameters:
    ///   - action: The requested action.
    ///   - site: The daemon.
    ///   - command: The program and its arguments; `DIR` is replaced by the folder of the site's programs.
    /// - Returns: The answer; empty if there was none.
    /// - Throws: ``TestFailure`` if the program cannot be run.
    private static func ask(_ action: String, _ site: ExecSite, with command: String) throws -> String {
        let command = command.replacing("DIR", with: site.directory.path)
        return try ChildProcess.run(
            ["/bin/bash", "-c", "exec 2>/dev/null; printf 'run:/\(action)\\n' | \(command)"],
            environment: ["PATH=/usr/bin:/bin:/usr/sbin"]
        ).output.split(separator: "\n").joined()
    }

    private static func isRefused(_ answer: String, by policy: String, _ reason: String) -> Bool {
        answer.hasPrefix(failure(403)) && answer.contains("%27\(policy)%27") && answer.contains(reason)
    }

    @Test func aProgramIsDistinguishedFromItsCopy() throws {
        let site = try ExecSite(
            "  - { route: run:/a, policies: [{ executable: DIR/nc }], respond: { ok: 1 } }\n",
            preparation: "cp \"$(readlink -f /usr/bin/nc)\" DIR/nc; ln -s DIR/nc DIR/link")
        let socket = "-N -U \(site.daemon.socket)"
        expect(try Self.ask("a", site, with: "DIR/nc \(socket)"), equals: Self.success)
        expect(try Self.ask("a", site, with: "DIR/link \(socket)"), equals: Self.success)
        #expect(
            Self.isRefused(
                try Self.ask("a", site, with: "nc \(socket)"), by: "executable", "program%20is%20not%20allowed"))
        // An update replaces the file of the running program.
        let answer = try #require(try site.ask("a"))
        #expect(Self.isRefused(answer, by: "executable", "program%20is%20not%20allowed"))
    }

    @Test(.enabled(if: isRoot, "only root may change groups"))
    func aPeerHasTheGroupsWithWhichItConnects() throws {
        let site = try ExecSite(
            "  - { route: run:/a, policies: [{ group: [4242, 77777] }], respond: { ok: 1 } }\n")
        let client = "nc -N -U \(site.daemon.socket)"
        let many = (1000..<1100).map(String.init).joined(separator: ",")
        for groups in ["--groups 4242", "--groups 1,4242", "--regid 77777 --clear-groups", "--groups \(many),4242"] {
            expect(try Self.ask("a", site, with: "setpriv \(groups) \(client)"), equals: Self.success, "\(groups)")
        }
        for groups in ["--clear-groups", "--groups 4243", "--groups \(many)"] {
            let answer = try Self.ask("a", site, with: "setpriv \(groups) \(client)")
            #expect(Self.isRefused(answer, by: "group", "not%20in%20an%20allowed%20group"), "\(groups)")
        }
    }

    /// Copies what netcat needs into the folder of the daemon, which becomes its root directory.
    private static let sandbox = """
        nc=$(readlink -f /usr/bin/nc); cp --parents -L $nc $(ldd $nc | grep -o '/[^ ]*') ${2%/*}; \
        printf '[Application]\\nname=org.example.Caller\\n' >${2%/*}/.flatpak-info
        """

    @Test(.enabled(if: isRoot, "only root may change the root directory"))
    func anApplicationIsTheOneOfItsSandbox() throws {
        let site = try ExecSite(
            """
              - { route: run:/a, policies: [{ app: org.example.Caller }], respond: { ok: 1 } }
              - { route: run:/b, policies: [{ app: [org.example.Other, snap.other] }], respond: { ok: 1 } }
              - { route: run:/c, policies: [{ executable: /usr/bin/nc }], respond: { ok: 1 } }
            """, preparation: Self.sandbox)
        let folder = site.daemon.directory.path
        let inside = "chroot \(folder) $(readlink -f /usr/bin/nc) -N -U /socket"
        expect(try Self.ask("a", site, with: inside), equals: Self.success)
        #expect(Self.isRefused(try Self.ask("b", site, with: inside), by: "app", "application%20is%20not%20allowed"))
        // In its own root directory, the path is the one that the policy names, but the file is another.
        #expect(Self.isRefused(try Self.ask("c", site, with: inside), by: "executable", "program%20is%20not%20allowed"))
        let outside = "nc -N -U \(site.daemon.socket)"
        #expect(Self.isRefused(try Self.ask("a", site, with: outside), by: "app", "cannot%20identify"))
        expect(try Self.ask("c", site, with: outside), equals: Self.success)
    }
}
