import Foundation
import Glibc

/// dbus-broker and a service behind it.
///
/// Its launcher is made for systemd: it wants a socket for its log at a fixed place, its listening socket as a
/// descriptor, and the broker in `/usr/bin`. So it gets a view of the file system of its own in which all that is so.
/// The package need not be installed, and should not: installing it makes the broker the bus of the whole system.
struct MessageBus {
    /// The journal, to which nobody listens.
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

    /// Starts a bus of its own, with a service that answers each call with the answer to the question.
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
