import Glibc
import Testing
import XCallbackTesting
import XCallbackWire

/// The Python client that the documents offer for copying, with the real daemon.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct PythonClientTests {
    private static let configuration = """
        schemes: [n]
        routes:
          - { route: n:/echo, respond: { v: "{v}" } }
          - { route: n:/gone, redirect: "other:/app" }
          - { route: n:/brief, deliver: app, wait: 60s, timeout: 300ms }
          - { route: "n:/typed/:id", input: { id: int, done: bool }, deliver: app, wait: 60s }
          - { route: "n:/app/*path", deliver: app, wait: 60s, timeout: 1h }
        """

    /// Runs a program until it exits; it must succeed.
    private static func run(
        _ text: String, asking socket: String, in directory: TemporaryDirectory, under tool: [String] = []
    ) throws -> String {
        let program = try PythonProgram(text, asking: socket, in: directory, under: tool)
        let status = try program.wait()
        #expect(status == 0 && program.errors == "", "\(program.errors)")
        return try program.output
    }

    @Test func theFileIsValid() throws {
        let file = PythonProgram.example("xcallback.py")
        let directory = try TemporaryDirectory()
        let compiler = try PythonProgram(running: ["-m", "py_compile", file], asking: "", in: directory)
        #expect(try compiler.wait() == 0, "\(compiler.errors)")
    }

    @Test func valuesComeBackAsTheyWent() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let output = try Self.run(
            #"""
            import asyncio
            from xcallback import Client

            client = Client()

            @client.route("/app/é & %/:one-:two")
            def plain(request, one, two):
                return {"one": one, "two": two}

            @client.route("/typed/*")
            async def typed(request):
                return {"is": str(request["parameters"])}

            @client.route()
            async def rest(request):
                return {k: v for k, v in request["parameters"].items() if k != "path"}

            async def main():
                serving = asyncio.create_task(client.serve("app"))
                values = {
                    "text": "é&=%\n+ #?/\\\"'\t😀", "empty": "", "list": ["", "a,b", "&"], "none": [], "yes": True,
                    "no": False, "number": 1.5, "left out": None, "one": ["1"], "self": "a", "ключ&=": "ü",
                }
                expected = {
                    **{k: v for k, v in values.items() if v is not None}, "yes": "true", "no": "false",
                    "number": "1.5", "one": "1",
                }
                for target in [("n:/app/any",), ("n", "app/a?b"), ("n", "/app/a")]:
                    answer = await client.run(*target, **values)
                    assert answer == expected, answer
                assert await client.run("n:/app/any?a=1", a=2, b=3) == {"a": ["1", "2"], "b": "3"}
                assert await client.run("n:/app/any") == {}
                assert await client.run("n", "app/é & %/ä%2F-b") == {"one": "ä%2F", "two": "b"}
                print((await client.run("n", "typed/7", done=True))["is"])
                serving.cancel()

            asyncio.run(main())
            """#, asking: daemon.socket, in: daemon.directory)
        #expect(output == "{'id': 7, 'done': True}\n")
    }

    @Test func eachEndIsAnExceptionOfItsOwn() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let program = try PythonProgram(
            #"""
            import asyncio
            from xcallback import ActionCancelled, CallbackError, Client, ClientError

            client = Client()

            @client.route("/app/refuse")
            def refuse(request):
                raise CallbackError(4711, "Nöt\n& today")

            @client.route("/app/cancel")
            async def cancel(request):
                raise ActionCancelled

            @client.route("/app/fail")
            async def fail(request):
                return {"a": 1 / 0}

            @client.route("/app/nul")
            async def nul(request):
                return {"a": "\0"}

            @client.route("/app/name")
            def name(request):
                return {"x-success": "a"}

            async def main():
                serving = asyncio.create_task(client.serve("app"))
                for name in ["app/refuse", "app/cancel", "app/fail", "app/nul", "app/name", "app/none", "none", "gone"]:
                    try:
                        print(name, await client.run("n", name))
                    except (ActionCancelled, CallbackError) as error:
                        print(name, repr(error))
                serving.cancel()
                try:
                    await client.serve("nobody")
                except ClientError as error:
                    print(error.name)

            asyncio.run(main())
            """#, asking: daemon.socket, in: daemon.directory)
        #expect(try program.wait() == 0, "\(program.errors)")
        let failure = "CallbackError(500, 'The handler has failed.')"
        let expected = #"""
            app/refuse CallbackError(4711, 'Nöt\n& today')
            app/cancel ActionCancelled()
            app/fail \#(failure)
            app/nul \#(failure)
            app/name \#(failure)
            app/none CallbackError(404, 'No route answers this action.')
            none CallbackError(404, 'No route answers this action.')
            gone CallbackError(503, 'Another application answers this.')
            UnknownName

            """#
        #expect(try program.output == expected)
        #expect(program.errors.contains("ZeroDivisionError"))
        #expect(program.errors.split(separator: "\n").count { $0.contains("cannot be sent") } == 2)
    }

    @Test func aCallThatIsTooLongIsNotRepeated() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let output = try Self.run(
            """
            import asyncio
            from xcallback import Client, ClientError

            try:
                asyncio.run(Client().run("n:/echo", v="a" * 2_000_000))
            except ClientError as error:
                print(error)
            """, asking: daemon.socket, in: daemon.directory)
        let message = "The message has more than 1048576 bytes (limits: message)."
        #expect(output == "('LimitReached', '\(message)')\n")
        // This one is the second.
        let status = try RouterClient(daemon.socket).call("Status")
        #expect(status["total"]?["connections"]?.integer == 2)
    }

    @Test func fiveHundredRequestsAtOnceHaveEachTheirAnswer() throws {
        let daemon = try RunningDaemon(
            Self.configuration.replacing("routes:", with: "limits: { requests: 36 }\nroutes:"))
        let output = try Self.run(
            """
            import asyncio
            from xcallback import Client

            client = Client()

            @client.route("/app/once")
            async def once(request):
                return request["parameters"]

            @client.route("/app/twice")
            async def twice(request):
                # What handlers ask for must not use up what the responses need.
                inner = await client.run("n:/app/once", v=request["parameters"]["v"])
                return {"v": inner["v"] * 2}

            async def main():
                serving = asyncio.create_task(client.serve("app", concurrently=64))
                # As many at a time as the daemon allows.
                other = Client()
                answers = await asyncio.gather(*(other.run("n:/app/twice", v=i) for i in range(500)))
                assert answers == [{"v": str(i) * 2} for i in range(500)], answers
                serving.cancel()

            asyncio.run(main())
            """, asking: daemon.socket, in: daemon.directory)
        #expect(output == "")
    }

    @Test func aHandlerIsCancelledWhoseCallerHasLeftOrWhoseTimeIsOver() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let program = try PythonProgram(
            """
            import asyncio
            from xcallback import Client

            client = Client()

            @client.route("/app/ping")
            async def ping(request):
                return {}

            @client.route()
            async def wait(request):
                print("begun", request["action"])
                try:
                    await asyncio.sleep(3600)
                finally:
                    print("cancelled", request["action"])

            asyncio.run(client.serve("app", concurrently=1))
            """, asking: daemon.socket, in: daemon.directory)
        let client = try daemon.connect()
        try {
            let leaving = try daemon.connect()
            try leaving.send("n:/app/wait\n")
            try daemon.ask("n:/echo", on: client) { try program.output.contains("begun") }
        }()
        // Only one handler runs at a time.
        #expect(try client.ask("n:/app/ping") == "xcallback://x-callback-url/success")
        #expect(try client.ask("n:/brief")?.contains("errorCode=504") == true)
        #expect(try client.ask("n:/app/ping") == "xcallback://x-callback-url/success")
        // The other one may have ended before this one started.
        let lines = try program.output.split(separator: "\n").prefix(2)
        #expect(lines == ["begun /app/wait", "cancelled /app/wait"], "\(program.errors)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root may become another user"))
    func nothingIsSentToTheSocketOfAnotherUser() throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o777)
        let user = LimitedUser()
        let socket = directory.path(of: "foreign")
        let server = try ChildProcess(
            user.words + ["/usr/bin/nc", "-l", "-U", socket], output: directory.path(of: "received"),
            error: directory.path(of: "errors"))
        let start = ContinuousClock.now
        while access(socket, F_OK) != 0, ContinuousClock.now - start < .seconds(30) { sched_yield() }
        let output = try Self.run(
            """
            import asyncio
            from xcallback import Client, ClientError

            try:
                asyncio.run(Client().run("n:/secret"))
            except ClientError as error:
                print(error.name, "uid \(user.id)" in str(error))
            """, asking: socket, in: directory)
        #expect(output == "Untrusted True\n")
        try server.wait()
        #expect(try directory.text(of: "received") == "")
    }
}
