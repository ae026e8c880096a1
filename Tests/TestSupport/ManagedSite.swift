import Glibc
import XCallbackTesting

/// A user's home with a service manager that has the daemon's units: a stand-in reports their state.
///
/// The daemon of the home is started by hand, at the path of the unit's socket.
package final class ManagedSite {
    package static let configuration = "schemes: [notes]\nroutes: [{ route: notes:/a, respond: { a: 1 } }]\n"

    package let site: SetupSite
    /// The path of the user's socket.
    package let socket: String

    /// Creates a home without a running daemon.
    package init(configuration: String? = configuration) throws {
        site = try SetupSite()
        socket = site.home.path(of: "run/xcallbackd/socket")
        if let configuration { try site.home.write(configuration, to: ".config/xcallbackd/config.yaml") }
        // The service manager runs, and answers.
        try site.home.write("", to: "run/systemd/private")
        try site.giveAway()
    }

    /// Sets the state of the units.
    ///
    /// - Parameters:
    ///   - service: The state of the daemon's unit, such as `inactive`, or `masked`.
    ///   - socket: The state of its socket's unit.
    ///   - process: The daemon's process, which runs as its unit from the second query on.
    /// - Throws: ``TestFailure`` if the stand-in cannot be written.
    package func setUnits(service: String, socket: String, then process: Int32? = nil) throws {
        func lines(_ name: String, _ state: String, process: Int32 = 0) -> String {
            let isMasked = state == "masked"
            let properties = [
                "Id=\(name)", "LoadState=\(isMasked ? "masked" : "loaded")",
                "ActiveState=\(isMasked ? "inactive" : state)", "UnitFileState=\(isMasked ? "masked" : "enabled")",
                "Result=success", "NeedDaemonReload=no", "ExecMainStatus=0", "MainPID=\(process)",
            ]
            return "printf '\(properties.map { "\($0)\\n" }.joined())\\n'"
        }
        let service = lines("xcallbackd.service", service)
        let later = process.map { lines("xcallbackd.service", "active", process: $0) } ?? service
        try site.install(
            "systemctl", in: "bin",
            """
            #!/bin/sh
            # A stand-in for the user's service manager.
            case "$*" in *' show '*) ;; *) exit 1 ;; esac
            for name; do
                case $name in
                xcallbackd.service) if [ -e "$HOME/questioned" ]; then \(later); else \(service); fi ;;
                xcallbackd.socket) \(lines("xcallbackd.socket", socket)) ;;
                esac
            done
            : >"$HOME/questioned"

            """)
        try site.giveAway()
    }

    /// Returns the number of clients that the daemon has had before this one.
    package func connectionCount() throws -> Int {
        let status = try site.run("xcallback", "status", "--json").output
        let digits = status.firstRange(of: "\"connections\":").map { status[$0.upperBound...].prefix { $0.isNumber } }
        guard let count = digits.flatMap({ Int($0) }) else { throw TestFailure("no count in \(status)") }
        return count - 1
    }
}
