import Glibc
import Testing
import XCallbackTesting

/// What a program with the client in Python notices of daemons that come and go while it asks and answers.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct PythonClientRestartTests {
    private static let configuration = """
        schemes: [n]
        limits: { drain-time: 20s }
        routes:
          - { route: n:/echo, respond: { v: "{v}" } }
          - { route: n:/slow, input: { v: string }, exec: [printf, "%s", "{v}"] }
          - { route: n:/app, deliver: app, wait: 60s, timeout: 1h }
        """

    /// Asks for actions again and again until it gets SIGTERM; answers those that are delivered.
    ///
    /// It prints what is wrong, and a dot for every fifty answers.
    private static func load(_ actions: String) -> String {
        """
        import asyncio, itertools, signal
        from xcallback import CallbackError, Client, ClientError

        client, numbers, handled, answered = Client(), itertools.count(1), set(), itertools.count(1)

        @client.route()
        async def app(request):
            number = request["parameters"]["v"]
            if number in handled:
                print("\\n", "twice")
            handled.add(number)
            return {"v": number}

        async def ask(action):
            while True:
                number = str(next(numbers))
                try:
                    answer = await client.run("n", action, v=number)
                    if number not in answer.values():
                        print("\\n", answer, number)
                except ClientError as error:
                    print("\\n", error.name)
                except CallbackError as error:
                    print("\\n", error)
                if next(answered) % 50 == 0:
                    print(end=".")

        async def main():
            end = asyncio.Event()
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end.set)
            tasks = [asyncio.create_task(client.serve("app", 8))]
            tasks += [asyncio.create_task(ask(action)) for action in [\(actions)] * 8]
            await end.wait()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run(main())
        """
    }

    /// Restarts daemons under load.
    ///
    /// - Parameters:
    ///   - actions: What is asked for.
    ///   - signal: What ends each daemon.
    ///   - keepsSocket: Whether the socket outlives the daemons.
    /// - Returns: What was wrong.
    /// - Throws: ``TestFailure`` if nothing happens any more.
    private func faults(of actions: String, with signal: Int32, keepsSocket: Bool) throws -> [Substring] {
        let site = try DaemonSite(Self.configuration, keepsSocket: keepsSocket)
        var daemon = try site.start()
        try daemon.waitUntilReady()
        let program = try PythonProgram(Self.load(actions), asking: site.path, in: site.directory)
        func count() throws -> Int { try program.output.count { $0 == "." } }
        for _ in 0..<5 {
            let before = try count()
            let client = try site.connect()
            // The program receives again, too.
            #expect(try client.ask("n:/app?v=from-\(before)") == "xcallback://x-callback-url/success?v=from-\(before)")
            try daemon.ask("n:/echo", on: client) { try count() >= before + 5 }
            daemon = try site.restart(daemon, with: signal)
        }
        let before = try count()
        try daemon.ask("n:/echo", on: try site.connect()) { try count() >= before + 5 }
        program.send(signal: SIGTERM)
        #expect(try program.wait() == 0, "\(program.errors)")
        return try program.output.split { $0 == "\n" || $0 == "." || $0 == " " }
    }

    @Test func noErrorIsSeenIfTheSocketStays() throws {
        #expect(try faults(of: #""echo", "slow""#, with: SIGTERM, keepsSocket: true) == [])
    }

    /// One that starts within two seconds is waited for; on a busy machine that is too short, and nothing was done then.
    @Test func whatWasNotReadHasNotBeenDoneIfTheSocketGoes() throws {
        let faults = try faults(of: #""echo", "slow""#, with: SIGTERM, keepsSocket: false)
        #expect(Set(faults).subtracting(["Unread"]) == [])
    }

    @Test(arguments: [true, false])
    func whatWasReadIsNeverSentTwice(keepsSocket: Bool) throws {
        let faults = try faults(of: #""app", "echo""#, with: SIGKILL, keepsSocket: keepsSocket)
        // What the daemon had read when it was killed. It starts no programs meanwhile, as one that has just begun to start
        // would keep the lock of the socket.
        #expect(Set(faults).subtracting(["Unanswered", "Unread"]) == [])
    }
}
