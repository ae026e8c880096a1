import Foundation
import Glibc

/// A running server, and its requests.
struct Server {
    /// The name in tables and figures.
    var name: String
    /// The program that loads it.
    var loadProgram = "load"
    var socket: String
    /// The request and the expected reply, as options of the load.
    var question = Question.options
    /// The program that was started for it.
    var program: ChildProcess
}

/// The request to all servers, as far as they support it, and its answer.
enum Question {
    private static let query = "text=hello%20world&x-success=caller%3A%2F%2Fdone%3Fid%3D7&x-source=Caller"
    static let request = "notes://x-callback-url/notes/42/append?\(query)"
    static let reply = "caller://done?id=7&result=ok"
    static let options = ["--request", request + "\n", "--reply", reply + "\n"]
    /// The same in Varlink, where the reply ends with the request's ID.
    static let call = [
        "--varlink", "--request", #"{"method":"org.xcallback.Router.Open","parameters":{"url":"\#(request)"}}"#,
        "--reply",
        #"{"parameters":{"outcome":"success","answer":"\#(reply)","items":[{"name":"result","value":"ok"}],"#
            + #""code":null,"message":null,"by":"handler","open":null,"id":""#,
    ]
}

extension Bench {
    /// Starts the daemon.
    func startDaemon() throws -> Server {
        let socket = path("daemon\(servers.count)")
        let file = try write(Self.configuration(routes: 100), to: "daemon\(servers.count).yaml")
        let program = try startServer(daemon, ["--config", file, "--socket", socket])
        try waitForListener(on: socket, startedBy: program)
        return Server(name: "xcallbackd", socket: socket, program: program)
    }

    /// Starts the C server.
    func startYardstick() throws -> Server {
        let socket = path("yardstick")
        let program = try startServer(ownProgram("yardstick"), [socket])
        try waitForListener(on: socket, startedBy: program)
        return Server(name: "the yardstick", socket: socket, program: program)
    }

    /// Returns a configuration of the measured daemon, whose routes are those of the yardstick.
    static func configuration(routes: Int) -> String {
        let service = [
            "items", "items/:id", "items/:id/append", "items/:id/remove", "open", "open/:doc/page/:num", "create",
            "search", "tags/:tag", "files/:name",
        ]
        let others = (0..<routes - 1).map { "svc\($0 / service.count)/\(service[$0 % service.count])" }
        let lines = (["notes/:id/append"] + others).map {
            "  - route: notes:/\($0)\n    respond: { result: ok }\n"
        }
        return """
            schemes: [notes]
            limits: { connections: 20000, requests: 20000 }
            middleware: [log]
            policies: [{ user: self }, { rate: 1000000000/s }]
            routes:

            """ + lines.joined()
    }
}

/// dbus-broker and a service behind it.
///
/// Its launcher is made for systemd: it needs a log socket at a fixed path, its listening socket as a descriptor, and the
/// broker in `/usr/bin`. So it runs in a mount namespace that provides all of these.
/// The package need not and should not be installed: installed, it replaces the bus of the whole system.
struct MessageBus {
    /// The journal socket, which is not read.
    private let journal: DatagramSocket
    let server: Server

    private static let script = """
        set -e
        mount -t overlay -o "lowerdir=$1:/usr/bin" overlay /usr/bin
        mount -t tmpfs tmpfs /run
        mkdir -p /run/systemd/journal
        touch /run/systemd/journal/socket
        mount --bind "$2" /run/systemd/journal/socket
        exec systemd-socket-activate --listen "$3" --setenv "DBUS_SESSION_BUS_ADDRESS=unix:path=$3" \
            dbus-broker-launch --scope user --config-file "$4"
        """

    private static func configuration(socket: String) -> String {
        """
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(socket)</listen>
          <policy context="default">
            <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
          </policy>
          <limit name="max_connections_per_user">20000</limit>
        </busconfig>
        """
    }

    /// Starts a separate bus, with a service that returns the answer to the question for each call.
    init(on bench: Bench) throws {
        let socket = bench.path("bus")
        journal = try DatagramSocket(path: bench.path("journal"))
        journal.discardAll()
        let configuration = try bench.write(Self.configuration(socket: socket), to: "bus.conf")
        let asRoot = getuid() == 0 ? [] : ["--user", "--map-root-user"]
        let launcher = try bench.startServer(
            "unshare",
            asRoot + ["--mount", "sh", "-c", Self.script, "sh", bench.busPrograms, journal.path, socket, configuration]
        )
        try waitForListener(on: socket, startedBy: launcher)
        let service = try bench.startServer(
            bench.ownProgram("bus-peer"), ["unix:path=\(socket)", Question.reply], isRead: true)
        _ = try service.readLine()
        server = Server(
            name: "a D-Bus call", loadProgram: "bus-load", socket: socket,
            question: ["--request", Question.request, "--reply", Question.reply], program: launcher
        )
    }
}
