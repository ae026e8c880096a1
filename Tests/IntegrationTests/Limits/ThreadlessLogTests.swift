import Glibc
import Testing
import XCallbackTesting

/// The journal of a daemon that gets no more threads.
@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "only root can become another user"))
struct ThreadlessLogTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/ping", respond: { pong: 1 } }
          - { route: "app:/:number", middleware: [log], policies: [{ user: 1 }], respond: { } }
        """
    private static let count = 50

    /// Starts a daemon whose standard error is a separate journal, in a mount namespace.
    private static func start() throws -> (daemon: RunningDaemon, journal: FakeServiceManager, user: LimitedUser) {
        let directory = try TemporaryDirectory()
        let user = LimitedUser()
        chown(directory.path, user.id, user.id)
        let journal = try FakeServiceManager(address: directory.path(of: "journal"))
        chmod(journal.address, 0o666)
        let script = """
            mount -t tmpfs tmpfs /run
            mkdir -p /run/systemd/journal
            ln -s \(journal.address) /run/systemd/journal/socket
            chmod 666 "$NOTIFY_SOCKET"
            export JOURNAL_STREAM=$(stat -Lc %d:%i /proc/self/fd/2)
            exec \(user.words.joined(separator: " ")) "$0" "$@"
            """
        let daemon = try RunningDaemon(
            starting: configuration, in: directory,
            under: ["/usr/bin/unshare", "--mount", "--propagation=private", "/bin/bash", "-euc", script])
        try daemon.waitUntilReady()
        while try !journal.receive().contains("MESSAGE=ready") {}
        return (daemon, journal, user)
    }

    /// Makes requests fail while only the threads of the loop, the notifications and the journal are left.
    private static func failRequests(of daemon: RunningDaemon, _ user: LimitedUser) throws {
        let client = try daemon.connect()
        #expect(try client.ask("app:/ping")?.hasSuffix("pong=1") == true)
        while try daemon.facts.threadNames.count > 3 { usleep(10_000) }
        try limitThreads(of: daemon, user, to: 1)
        for number in 0..<count { #expect(try client.ask("app:/\(number)")?.contains("errorCode=403") == true) }
    }

    private static func limitThreads(of daemon: RunningDaemon, _ user: LimitedUser, to count: Int) throws {
        let output = daemon.directory.path(of: "limit")
        let limit = try ChildProcess(
            user.words + ["/usr/bin/prlimit", "--pid", "\(daemon.process.id)", "--nproc=\(count):"], output: output,
            error: output)
        #expect(try limit.wait() == 0)
    }

    @Test func itsThreadIsKept() throws {
        let (daemon, journal, user) = try Self.start()
        try Self.failRequests(of: daemon, user)
        for _ in 0..<Self.count { #expect(try journal.receive().hasPrefix("MESSAGE=request failed")) }
        #expect(try daemon.stop() == 0)
        #expect(try journal.receive().hasPrefix("MESSAGE=stopping"))
    }

    @Test func aJournalThatDoesNotReadDelaysTheStopForAMoment() throws {
        let (daemon, journal, user) = try Self.start()
        try Self.failRequests(of: daemon, user)
        let start = ContinuousClock.now
        #expect(try daemon.stop() == 0)
        #expect(ContinuousClock.now - start < .seconds(20))
        // The number of lines that fit into its queue.
        #expect(journal.receiveNow()?.hasPrefix("MESSAGE=request failed") == true)
    }
}
