import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Restarts of the daemon while a program with a client asks and answers all the time.
struct RestartsUnderLoad {
    private static let configuration = """
        schemes: [n]
        limits: { drain-time: 20s }
        routes:
          - { route: n:/echo, respond: { v: "{v}" } }
          - { route: n:/slow, input: { v: string }, exec: [printf, "%s", "{v}"] }
          - { route: n:/app, deliver: app, wait: 60s, timeout: 1h }
        """

    /// The signal that ends each daemon.
    let signal: Int32
    /// Whether the socket outlives the daemons.
    let keepsSocket: Bool

    /// Restarts daemons until the program has seen five restarts.
    ///
    /// - Parameter start: Starts the program, which prints faults, and a dot for every fifty answers, until SIGTERM.
    /// - Returns: The faults.
    /// - Throws: ``TestFailure`` if nothing happens for too long.
    func faults(of start: (DaemonSite) throws -> ExampleProgram) throws -> [Substring] {
        let site = try DaemonSite(Self.configuration, keepsSocket: keepsSocket)
        var daemon = try site.start()
        try daemon.waitUntilReady()
        let program = try start(site)
        func count() throws -> Int { try program.output.count { $0 == "." } }
        for _ in 0..<5 {
            let before = try count()
            let client = try site.connect()
            // The program receives again after the restart, too.
            expect(
                try client.ask("n:/app?v=from-\(before)"), equals: "xcallback://x-callback-url/success?v=from-\(before)"
            )
            try daemon.ask("n:/echo", on: client) { try count() >= before + 5 }
            daemon = try site.restart(daemon, with: signal)
        }
        let before = try count()
        try daemon.ask("n:/echo", on: try site.connect()) { try count() >= before + 5 }
        program.send(signal: SIGTERM)
        expect(try program.wait(), equals: 0, "\(program.errors)")
        return try program.output.split { $0 == "\n" || $0 == "." || $0 == " " }
    }
}
