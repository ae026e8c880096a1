import Glibc
import XCallbackEventLoop
import XCallbackLinux

/// The command-line options of the daemon.
package struct DaemonOptions: Hashable, Sendable {
    /// The task of the process.
    package enum Mode: Hashable, Sendable {
        /// Serve until a signal stops it.
        case serve
        /// Read the configuration, report its faults, and exit.
        case check
        /// Run one program of a route for the system's router, which is connected to standard input.
        case run
        /// Print the options and exit.
        case help
        /// Print the version and exit.
        case version
    }

    /// An invalid command line; the description names the fault.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// The text that `--help` prints.
    package static let usage = """
        Usage: xcallbackd [--config FILE] [--socket PATH] [--agent-socket PATH]
                          [--check | --run]

          --config FILE  read FILE instead of the user's or the system's configuration
          --socket PATH  listen on PATH instead of the user's or the system's socket
          --agent-socket PATH
                         also listen on PATH, for assistants in a sandbox: they reach only the routes offered to them
          --check        report faults and warnings of the configuration, and exit
          --run          run one program for the system's daemon (xcallbackd-run@.service)
          --help         print this text, and exit
          --version      print the version, and exit

        """

    /// The task.
    package var mode = Mode.serve
    /// The configuration file from the command line, if any.
    package var configuration: String?
    /// The path of the socket from the command line, if any.
    package var socket: String?
    /// The path of the socket for assistants; nil without one.
    package var agentSocket: String?

    /// Parses a command line.
    ///
    /// - Parameter arguments: The arguments, without the name of the program.
    /// - Throws: ``Fault`` for the first invalid argument.
    package init(_ arguments: [String]) throws(Fault) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            let value = parts.count == 2 ? String(parts[1]) : nil
            switch (name, value) {
            case ("--check", nil): mode = .check
            case ("--run", nil): mode = .run
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

/// The exit status of the program (sysexits.h).
package enum DaemonExitStatus: Int32, Sendable {
    /// The daemon was stopped by a signal.
    case success = 0
    /// The command line or the passed socket is invalid.
    case usage = 64
    /// The configuration lacks only files: the next start may find them.
    case missingFile = 66
    /// Another daemon uses the socket.
    case unavailable = 69
    /// The system refused a basic operation.
    case system = 71
    /// The socket cannot be created.
    case cannotCreate = 73
    /// The daemon was stopped by a signal, and some requests got no answer.
    case incomplete = 75
    /// There is no permission to create the socket.
    case noPermission = 77
    /// The configuration has faults.
    case configuration = 78

    /// Creates the status of a daemon that cannot serve.
    package init(_ error: any Error) {
        guard let error = error as? ListenerError else {
            self = .system
            return
        }
        switch error {
        case .inUse: self = .unavailable
        case .pathTooLong, .notASocket: self = .cannotCreate
        case .system(_, let error) where error.isShortage: self = .system
        case .system(_, let error):
            self = [EACCES, EPERM, EROFS].contains(error.code) ? .noPermission : .cannotCreate
        }
    }
}
