import Foundation
import Glibc

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
    init(on bench: Bench, programs: String) throws {
        let socket = bench.workspace.path("bus")
        journal = try DatagramSocket(path: bench.workspace.path("journal"))
        journal.discardAll()
        let configuration = try bench.workspace.write(Self.configuration(socket: socket), to: "bus.conf")
        let asRoot = getuid() == 0 ? [] : ["--user", "--map-root-user"]
        let launcher = try bench.startServer(
            "unshare",
            asRoot + ["--mount", "sh", "-c", Self.script, "sh", programs, journal.path, socket, configuration]
        )
        try waitForListener(on: socket, startedBy: launcher)
        let service = try bench.startServer("bus-peer", ["unix:path=\(socket)", Question.reply])
        _ = try service.readLine()
        let broker = try ProcessFacts(identifier: launcher.identifier).children()
        server = Server(
            name: "D-Bus call, dbus-broker", shortName: "a D-Bus call", loadProgram: "bus-load", socket: socket,
            question: ["--request", Question.request, "--reply", Question.reply],
            program: launcher, processes: broker + [service.identifier]
        )
    }
}
