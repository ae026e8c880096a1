import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Third-party clients, unchanged, with the daemon.
@Suite(
    .blocking,
    .enabled(if: PythonPackages.arePresent, "'make python-packages' fetches the Python packages"))
struct OtherClientTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/hello/:name", respond: { greeting: "Hello {name}" } }
          - { route: "app:/saved", publish: saved }
        """

    /// Runs the command of the package `varlink`.
    private static func varlink(
        _ arguments: [String], _ daemon: RunningDaemon
    ) throws -> (status: Int32, output: String) {
        let words = arguments.map { $0.replacing("SOCKET", with: "unix:\(daemon.socket)") }
        return try PythonPackages.run(["-m", "varlink.cli"] + words, in: TemporaryDirectory())
    }

    @Test func varlinkFindsOutWhatThereIs() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let info = try Self.varlink(["info", "SOCKET"], daemon)
        #expect(info.status == 0)
        #expect(info.output.contains("org.xcallback.Router"))
        let help = try Self.varlink(["help", "SOCKET/org.xcallback.Router"], daemon)
        #expect(help.status == 0)
        for word in ["# Returns the answer to a URL.", "method Open(", "type Route (", "error NotLoaded"] {
            #expect(help.output.contains(word), "\(word)")
        }
    }

    @Test func varlinkReceivesMore() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let script = """
            import sys, varlink
            client = varlink.Client.new_with_address("unix:" + sys.argv[1])
            with client.open("org.xcallback.Router") as events, client.open("org.xcallback.Router") as calls:
                stream = events.Subscribe(["saved"], _more=True)
                print(next(stream))
                print(calls.Publish("saved", [{"name": "id", "value": "7"}])["reached"])
                print(next(stream)["event"]["items"])
                print(calls.Open("app:/hello/Ada")["items"])
                try:
                    calls.Publish("nothing", [])
                except varlink.VarlinkError as error:
                    print(error.error())
            """
        let run = try PythonPackages.run(["-c", script, daemon.socket], in: TemporaryDirectory())
        let expected = """
            {}
            1
            [{'name': 'id', 'value': '7'}]
            [{'name': 'greeting', 'value': 'Hello Ada'}]
            org.xcallback.Router.UnknownTopic

            """
        #expect(run.output == expected)
        #expect(run.status == 0)
    }

    @Test func asyncvarlinkCalls() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let script = """
            import asyncio, sys
            import asyncvarlink

            class Router(asyncvarlink.VarlinkInterface, name="org.xcallback.Router"):
                @asyncvarlink.varlinkmethod(return_parameter="reached")
                def Publish(self, *, topic: str, items: list[dict[str, str]]) -> int: ...

            async def main():
                _, protocol = await asyncvarlink.connect_unix_varlink(
                    asyncvarlink.VarlinkClientProtocol, sys.argv[1])
                router = protocol.make_proxy(Router)
                print(await router.Publish(topic="saved", items=[{"name": "id", "value": "7"}]))
                try:
                    await router.Publish(topic="nothing", items=[])
                except asyncvarlink.VarlinkErrorReply as error:
                    print(error.name)

            asyncio.run(main())
            """
        let run = try PythonPackages.run(["-c", script, daemon.socket], in: TemporaryDirectory())
        #expect(run.output == "{'reached': 0}\norg.xcallback.Router.UnknownTopic\n")
        #expect(run.status == 0)
    }
}
