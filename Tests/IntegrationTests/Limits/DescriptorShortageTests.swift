import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// A daemon that can open few or no descriptors.
@Suite(.blocking)
struct DescriptorShortageTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/ping", respond: { pong: 1 } }
          - { route: "app:/run", exec: [echo, hello] }
          - { route: "app:/detached", exec: ["true"], detach: true }
          - { route: "app:/judged", policies: [{ exec: ["true"] }], respond: { } }
          - { route: "app:/delivered", deliver: name, start: ["true"], wait: 100ms }
          - { route: "app:/seen", policies: [{ executable: /bin/true }], respond: { } }
        """
    private static let pong = "xcallback://x-callback-url/success?pong=1"
    private static let actions = ["run", "detached", "judged", "delivered", "seen"]

    /// A daemon with connected clients, and a number of free descriptors.
    private struct Site {
        let daemon: RunningDaemon
        let client: LineClient
        let clients: [LineClient]
        let inspector: RouterClient
        let caller: RouterClient
        let watcher: RouterClient

        init(spare: Int) throws {
            daemon = try RunningDaemon(configuration, environment: ["WATCHDOG_USEC=500000"])
            client = try daemon.connect()
            clients = try actions.map { [daemon] _ in try daemon.connect() }
            for client in clients + [client] { expect(try client.ask("app:/ping"), equals: pong) }
            inspector = try RouterClient(daemon.socket)
            caller = try RouterClient(daemon.socket)
            watcher = try RouterClient(daemon.socket)
            for router in [inspector, caller, watcher] { _ = try router.call("Status") }
            try daemon.limitDescriptors(to: daemon.state.descriptorLimit(leaving: spare))
        }

        /// Sends requests that need descriptors, and no others.
        func ask() throws {
            for (client, action) in zip(clients, actions) { try client.send("app:/\(action)\n") }
            try inspector.send("Explain", ["url": "app:/seen"])
            try caller.send("Call", ["url": "other:/do"], mode: .more)
            try watcher.send("Monitor", mode: .more)
            daemon.process.send(signal: SIGHUP)
        }

        /// Expects answers to all of them.
        func expectAnswers() throws {
            for (client, action) in zip(clients, actions) {
                let answer = try client.readLine() ?? ""
                let isRefused = answer.contains("errorCode=\(action == "seen" ? 403 : 503)")
                #expect(isRefused || answer.contains("/success"), "\(action): \(answer)")
            }
            #expect(try inspector.reply()["explanation"] != nil)
            expect(try caller.reply()["open"]?.text) { $0?.hasPrefix("other:/do") == true }
            _ = try watcher.reply()
            expect(try client.ask("app:/ping"), equals: pong)
        }
    }

    @Test(arguments: 0...8)
    func whatNeedsOneIsRefusedAndTheRestGoesOn(spare: Int) throws {
        let site = try Site(spare: spare)
        let daemon = site.daemon
        let waiting = try (0..<3).map { _ in try daemon.connect() }
        for client in waiting { try client.send("app:/ping\n") }
        try site.ask()
        try site.expectAnswers()
        while try !daemon.manager.receive().hasPrefix("RELOADING=1") {}
        while try !daemon.manager.receive().hasPrefix("READY=1") {}
        let time = try daemon.state.processorTime
        // Four notifications take a second.
        for _ in 0..<4 { while try daemon.manager.receive() != "WATCHDOG=1" {} }
        #expect(try daemon.state.processorTime - time < .milliseconds(200))
        try daemon.limitDescriptors(to: 1024)
        for client in waiting { expect(try client.readLine(), equals: Self.pong) }
        expect(try site.client.ask("app:/run"), equals: "xcallback://x-callback-url/success?result=hello")
        expect(try daemon.reload(Self.configuration)) { $0.contains("STATUS=Serving 6 routes") }
    }
}
