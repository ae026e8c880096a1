import Glibc
import Testing
import XCallbackTesting

/// The effects of daemon restarts on a program with the Python client that sends and answers requests.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct PythonClientRestartTests {
    /// Requests actions repeatedly until SIGTERM; answers delivered requests.
    ///
    /// It prints faults, and a dot for every fifty answers.
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

    private func faults(of actions: String, with signal: Int32, keepsSocket: Bool) throws -> [Substring] {
        try RestartsUnderLoad(signal: signal, keepsSocket: keepsSocket).faults {
            try PythonProgram(Self.load(actions), asking: $0.path, in: $0.directory)
        }
    }

    @Test func noErrorIsSeenIfTheSocketStays() throws {
        #expect(try faults(of: #""echo", "slow""#, with: SIGTERM, keepsSocket: true) == [])
    }

    /// The client waits two seconds for a daemon; on a busy machine that is too short, and then no action was performed.
    @Test func whatWasNotReadHasNotBeenDoneIfTheSocketGoes() throws {
        let faults = try faults(of: #""echo", "slow""#, with: SIGTERM, keepsSocket: false)
        #expect(Set(faults).subtracting(["Unread"]) == [])
    }

    @Test(arguments: [true, false])
    func whatWasReadIsNeverSentTwice(keepsSocket: Bool) throws {
        let faults = try faults(of: #""app", "echo""#, with: SIGKILL, keepsSocket: keepsSocket)
        // Requests that the killed daemon had read. It starts no programs meanwhile, because a program that is being started
        // would keep the lock of the socket.
        #expect(Set(faults).subtracting(["Unanswered", "Unread"]) == [])
    }
}
