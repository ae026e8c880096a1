import Glibc
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackLinux

// The daemon, its socket and its units.
extension Examination {
    /// Whether a daemon answers, and whether it is the intended one.
    var daemonFindings: [Finding] {
        switch status {
        case nil:
            let text = "its unit cannot start, and connecting would make the socket unit fail"
            return [Finding(.skipped, of: socket, "the daemon was not checked: \(text)")]
        case .failure(let error): return [failure(error)] + otherDaemons
        case .success(let status):
            return [answer(status.service)] + (status.history.map { [kept(by: $0)] } ?? []) + otherDaemons
        }
    }

    /// Whether what ran is kept.
    private func kept(by history: Client.Status.History) -> Finding {
        let sizes = HistoryFile.allCases.flatMap { file in
            let paths = file.paths(in: history.folder)
            return [paths.current, paths.old].map { path in
                var status = stat()
                return stat(path, &status) == 0 ? Int(status.st_size) : 0
            }
        }
        let size = "the history in \(history.folder) has \((sizes.reduce(0, +) + 1023) / 1024) KiB"
        if history.dropped == 0 { return Finding(.good, of: history.folder, size) }
        return Finding(
            .note, of: history.folder, "\(size); \(history.dropped) entries were dropped: \(history.fault ?? "")")
    }

    private func answer(_ service: Client.Status.Service) -> Finding {
        let name = "daemon \(service.version), process \(service.processID), on \(service.socket)"
        guard service.version == Version.text || !replacedFindings.isEmpty else {
            return Finding(
                .note, of: service.socket, "\(name); this command is \(Version.text)",
                fix: isOfUnit ? scope.map { fix("restart \(ManagerScope.serviceUnit)", in: $0) } : nil,
                advice: "restart the daemon after an update")
        }
        let routes = service.routeCount == 1 ? "1 route" : "\(service.routeCount) routes"
        return Finding(.good, of: service.socket, "\(name), \(routes)")
    }

    private func failure(_ error: any Error) -> Finding {
        guard isAbsent else { return Finding(of: socket, Failure(error) ?? Failure("\(error)")) }
        if scope?.isSetUp == false {
            return Finding(.note, of: socket, "the system's daemon is not set up, and does not run")
        }
        let problem = String("\(error)".prefix { $0 != "\n" })
        if !Self.hasDaemon {
            return Finding(
                .fault, of: "xcallbackd", "\(problem); the program xcallbackd is not installed, or not in the PATH",
                advice: "reinstall xcallbackd")
        }
        if places.isEmpty {
            return Finding(.fault, of: socket, problem, advice: "start it once it has a configuration")
        }
        let option = isNamed ? " --socket \(socket.shellWord)" : ""
        return Finding(.fault, of: socket, problem, fix: .init("xcallbackd\(option)\(configOption)"))
    }

    /// Whether the daemon's program is installed, also beside this command.
    private static var hasDaemon: Bool {
        ToolRun.isInstalled("xcallbackd") || ownPath.map { ToolRun.isExecutable("\($0.parent)/xcallbackd") } ?? false
    }

    /// The daemon that this one hides from commands, or a user's that cannot be found.
    private var otherDaemons: [Finding] {
        if isNamed { return [] }
        if scope != .system, let note = sessionNote() { return [Finding(.note, of: "XDG_RUNTIME_DIR", note)] }
        let system = ManagerScope.system.socket
        guard scope == .user, access(system, F_OK) == 0 else { return [] }
        let text = "commands use your daemon at \(socket), not the system's daemon at \(system)"
        return [Finding(.note, of: system, text, advice: "use '--system' for the system's daemon")]
    }

    private func fix(_ words: String, in scope: ManagerScope) -> Finding.Fix {
        .init("\(scope.systemctl) \(words)", needsRoot: scope.needsRoot)
    }

    /// Whether the daemon's socket exists, and this user may connect to it.
    var socketFindings: [Finding] {
        if let accessFinding { return [accessFinding] }
        if access(socket, W_OK) == 0 { return [Finding(.good, of: socket, "socket \(socket)")] }
        if access(socket, F_OK) == 0 { return [denial] }
        // Without a unit, the daemon's finding says that nothing answers.
        guard let scope, units?.socket.isActive == true else { return [] }
        let text = "\(socket) was removed while \(ManagerScope.socketUnit) listens there"
        return [Finding(.fault, of: socket, text, fix: fix("restart \(ManagerScope.socketUnit)", in: scope))]
    }

    private var denial: Finding {
        var file = stat()
        _ = stat(socket, &file)
        let group = ServerTrust.serviceUserName
        let problem = "you are not allowed to connect to \(socket)"
        guard file.st_gid == UserDatabase.groupID(named: group), file.st_mode & 0o020 != 0 else {
            return Finding(
                .fault, of: socket, "\(problem): it belongs to uid \(file.st_uid)", advice: "ask that user, or root")
        }
        if UserDatabase.groupIDs(of: geteuid())?.contains(file.st_gid) == true {
            return Finding(
                .fault, of: socket, "you became a member of the group '\(group)' after your login",
                fix: .init("newgrp \(group)"),
                advice: "this starts a shell with the group; other programs have it after your next login")
        }
        let command = UserDatabase.name(of: geteuid()).map { "usermod --append --groups \(group) \($0.shellWord)" }
        return Finding(
            .fault, of: socket, "\(problem): you are not a member of the group '\(group)'",
            fix: command.map { .init($0, needsRoot: true) }, advice: "this takes effect with your next login")
    }

    /// Whether the service manager can start the daemon.
    var unitFindings: [Finding] {
        guard let scope else {
            return [Finding(.skipped, of: socket, "units were not checked: no unit has the socket \(socket)")]
        }
        let manager = scope == .user ? "your service manager" : "the service manager"
        guard let units else {
            if scope == .user, AutostartEntry.isNeeded { return [start] }
            let reason = scope.isRunning ? "does not answer" : "is not running"
            return [Finding(.skipped, of: ManagerScope.socketUnit, "units were not checked: \(manager) \(reason)")]
        }
        for unit in [units.socket, units.service] where !unit.isKnown {
            return [Finding(.skipped, of: unit.name, "\(manager) does not know \(unit.name)")]
        }
        // A cause is reported once.
        if accessFinding != nil || !scope.isSetUp && !units.socket.isActive { return [] }
        let name = units.socket.name
        let cause = StartFailure(of: units.service, in: scope)
        let restart = units.service.isRestarting ? "\(scope.systemctl) restart \(units.service.name)" : nil
        let start = UnitFix(service: units.service, socket: units.socket, in: scope, isKept: true)?.command ?? restart
        let command = [cause?.command, start].compactMap(\.self).joined(separator: " && ")
        let fix = command.isEmpty ? nil : Finding.Fix(command, needsRoot: scope.needsRoot)
        var problems = [units.socket.problem, units.service.problem, cause?.text].compactMap(\.self)
        if problems.isEmpty, !units.socket.isActive { problems = ["\(name) is \(units.socket.activity)"] }
        if !problems.isEmpty {
            return [unitFault(name, problems.joined(separator: "; "), fix, units.service, scope, cause)]
        }
        guard units.socket.isEnabled else {
            let next = scope == .user ? "login" : "boot"
            let text = "\(name) is running, but not enabled: the next \(next) does not start it"
            return [Finding(.note, of: name, text, fix: fix)]
        }
        return [Finding(.good, of: name, "\(manager) starts the daemon (\(name))")]
    }

    private func unitFault(
        _ name: String, _ text: String, _ fix: Finding.Fix?, _ service: ManagedUnit, _ scope: ManagerScope,
        _ cause: StartFailure?
    ) -> Finding {
        guard let daemon, !isOfUnit else {
            let journal = scope == .user ? "journalctl --user" : "journalctl"
            let advice = "fix the cause first: '\(journal) --unit \(service.name)' shows it"
            let isUnexplained = cause?.command == nil && (service.isFailed || service.isRestarting)
            return Finding(.fault, of: name, text, fix: fix, advice: cause?.advice ?? (isUnexplained ? advice : nil))
        }
        // URLs are answered although the units do not run.
        let canEnd = geteuid() == 0 || daemon.userID == geteuid() || fix?.needsRoot == true
        let command = fix.map { Finding.Fix("kill \(daemon.processID) && \($0.command)", needsRoot: $0.needsRoot) }
        return Finding(
            .note, of: name, text, fix: canEnd ? command : nil,
            advice: "process \(daemon.processID) answers, which was not started by the service manager")
    }

    /// The start of the daemon without a service manager for users.
    private var start: Finding {
        if let entry = try? AutostartEntry(), entry.exists {
            return Finding(.good, of: entry.path, "your session starts the daemon (\(entry.path))")
        }
        return Finding(
            .note, of: "session", "nothing starts the daemon with your session: there is no service manager for users",
            fix: schemes?.isEmpty == false ? .init("xcallback register --all") : nil)
    }
}

extension ManagedUnit {
    /// What keeps the unit from running; nil if nothing does.
    fileprivate var problem: String? {
        if isMasked { return "\(name) is masked\(isMaskedForAll ? " by the administrator, for all users" : "")" }
        if isFailed, isAtLimit { return "\(name) failed: it was started too often (\(result))" }
        let end = "(\(result)\(exitStatus == 0 ? "" : ", status \(exitStatus)"))"
        if isFailed { return "\(name) failed \(end)" }
        if isRestarting { return "\(name) ends again and again \(end)" }
        return isOutdated ? "the files of \(name) changed after the service manager read them" : nil
    }
}
