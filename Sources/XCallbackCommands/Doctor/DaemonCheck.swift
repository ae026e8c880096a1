import Glibc
import XCallbackClient
import XCallbackLinux

/// Checks whether a daemon answers, and whether it is the intended one.
enum DaemonCheck: DoctorCheck {
    static let name = "daemon"

    static func findings(in examination: Examination) -> [Finding] {
        if let (path, userID) = examination.foreignFolder {
            return [
                Finding(
                    .fault, of: examination.socket, "this is another user's daemon: \(path) belongs to uid \(userID)",
                    advice: "run 'xcallback doctor' as that user")
            ]
        }
        switch examination.status {
        case nil:
            return [
                Finding(
                    .skipped, of: examination.socket,
                    "the daemon was not checked: its unit cannot start, and connecting would make the socket unit fail")
            ]
        case .failure(let error): return [failure(error, examination)] + others(in: examination)
        case .success(let status): return [answer(status.service, examination)] + others(in: examination)
        }
    }

    private static func answer(_ service: Client.Status.Service, _ examination: Examination) -> Finding {
        let name = "daemon \(service.version), process \(service.processID), on \(service.socket)"
        guard service.version == Version.text else {
            let isUnit = examination.isOfUnit
            let restart = examination.scope.map {
                Finding.Mend("\($0.systemctl) restart \(ManagerScope.serviceUnit)", in: $0)
            }
            return Finding(
                .note, of: service.socket, "\(name); this command is \(Version.text)", mend: isUnit ? restart : nil,
                advice: isUnit ? nil : "restart the daemon after an update")
        }
        let routes = service.routeCount == 1 ? "1 route" : "\(service.routeCount) routes"
        return Finding(.good, of: service.socket, "\(name), \(routes)")
    }

    private static func failure(_ error: any Error, _ examination: Examination) -> Finding {
        let socket = examination.socket
        if let error = error as? ClientError, !error.missing.isEmpty {
            let problem = String(error.description.prefix { $0 != "\n" })
            // The check of the units reports their problems, with remedies.
            if let units = examination.units, units.service.isKnown, units.socket.isKnown {
                return Finding(.fault, of: socket, problem)
            }
            let option = examination.isNamed ? " --socket \(socket.shellWord)" : ""
            let hasConfiguration = !examination.places.isEmpty
            return Finding(
                .fault, of: socket, problem,
                mend: hasConfiguration
                    ? Finding.Mend(command: "xcallbackd\(option)\(examination.configOption)") : nil,
                advice: "no service manager has a daemon for this socket: start it by hand"
                    + (hasConfiguration ? "" : " once it has a configuration"))
        }
        let failure = Failure(error) ?? Failure(.errorAnswer, "\(error)")
        let finding = Finding(of: socket, failure)
        // The socket's check reports why this user cannot connect.
        let isDenied = access(socket, F_OK) == 0 && access(socket, W_OK) != 0
        return isDenied ? Finding(.fault, of: socket, finding.text) : finding
    }

    /// Returns findings for the daemons that this one hides from commands, and for a user's that cannot be found.
    private static func others(in examination: Examination) -> [Finding] {
        if !examination.isNamed, examination.scope != .system, let note = sessionNote() {
            return [Finding(.note, of: "XDG_RUNTIME_DIR", note)]
        }
        let system = ManagerScope.system.socket
        guard !examination.isNamed, examination.scope == .user, access(system, F_OK) == 0 else { return [] }
        let scope = ManagerScope.user
        let text = "commands use your daemon at \(examination.socket), not the system's daemon at \(system)"
        func note(_ mend: Finding.Mend? = nil, _ result: String? = nil) -> [Finding] {
            let advice = ["use '--system' for the system's daemon", result].compactMap(\.self).joined(separator: "; ")
            return [Finding(.note, of: system, text, mend: mend, advice: advice)]
        }
        let result = "the command stops your daemon"
        if examination.units?.socket.isActive == true {
            let units = "\(ManagerScope.socketUnit) \(ManagerScope.serviceUnit)"
            return note(Finding.Mend("\(scope.systemctl) disable --now \(units)", in: scope), result)
        }
        if let daemon = examination.daemon, daemon.userID == geteuid() {
            return note(Finding.Mend(command: "kill \(daemon.processID)"), result)
        }
        // A socket that a killed daemon left behind, where nothing listens.
        if case .failure(let error as ClientError) = examination.status, !error.missing.isEmpty {
            return note(
                Finding.Mend(command: "rm \(examination.socket.shellWord)"), "no daemon answers at your socket")
        }
        return note()
    }
}
