import Glibc

/// What the command line of the daemon says.
package struct DaemonOptions: Hashable, Sendable {
    /// What the daemon is to do.
    package enum Mode: Hashable, Sendable {
        /// Serve until it is told to stop.
        case serve
        /// Read the configuration, tell what is wrong with it, and end.
        case check
        /// Run one program of a route for the system's router, which is at the other end of standard input.
        case run
        /// Take URLs that the desktop hands over on the session's message bus.
        case desktop
        /// Tell a daemon in a user namespace of its own of the processes of its peers.
        case tellPeers
        /// Tell the options and end.
        case help
        /// Tell the version and end.
        case version
    }

    /// A command line that cannot be understood; the description tells what is wrong.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// The text that `--help` prints.
    package static let usage = """
        Usage: xcallbackd [--config FILE] [--socket PATH] [--agent-socket PATH]
                          [--check | --run | --desktop | --tell-peers]

          --config FILE  read FILE instead of the user's or the system's configuration
          --socket PATH  listen on PATH instead of the user's or the system's socket
          --agent-socket PATH
                         also listen on PATH, for assistants in a sandbox: they reach only the routes offered to them
          --check        report faults and warnings of the configuration, and exit
          --run          run one program for the system's daemon (xcallbackd-run@.service)
          --desktop      receive URLs from the session's message bus, which starts this itself
          --tell-peers   inspect peer processes for the user's daemon, which starts this itself
          --help         print this text, and exit
          --version      print the version, and exit

        """

    /// What to do.
    package var mode = Mode.serve
    /// The configuration file, if the command line names one.
    package var configuration: String?
    /// The path of the socket, if the command line names one.
    package var socket: String?
    /// The path of the socket for assistants; nil if there is none.
    package var agentSocket: String?

    /// Reads a command line.
    ///
    /// - Parameter arguments: The arguments, without the name of the program.
    /// - Throws: ``Fault`` naming the first argument that is not understood.
    package init(_ arguments: [String]) throws(Fault) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            let value = parts.count == 2 ? String(parts[1]) : nil
            switch (name, value) {
            case ("--check", nil): mode = .check
            case ("--run", nil): mode = .run
            case ("--desktop", nil): mode = .desktop
            case ("--tell-peers", nil): mode = .tellPeers
            case ("--help", nil), ("-h", nil): mode = .help
            case ("--version", nil): mode = .version
            case ("--config", _): configuration = try Self.value(of: name, value, &rest)
            case ("--agent-socket", _): agentSocket = try Self.value(of: name, value, &rest)
            case ("--socket", _): socket = try Self.value(of: name, value, &rest)
            default: throw Fault(description: "unknown argument '\(argument)'")
            }
        }
    }

    private static func value(
        of name: String, _ value: String?, _ rest: inout ArraySlice<String>
    ) throws(Fault) -> String {
        guard let value = value ?? rest.popFirst(), !value.isEmpty else {
            throw Fault(description: "option '\(name)' needs a value")
        }
        return value
    }
}
