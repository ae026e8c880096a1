import Glibc
import XCallbackAdministration
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux

// What an administrator of the machine must know besides: the users, the program server, credentials and replaced programs.
extension Examination {
    /// What keeps members of the group from the system's socket, or the service manager from making it.
    var accessFinding: Finding? {
        guard scope == .system, let units else { return nil }
        let group = ServerTrust.serviceUserName
        guard UserDatabase.groupID(named: group) != nil, UserDatabase.userID(named: group) != nil else {
            let failed = [units.service, units.socket].filter(\.isFailed).map(\.name)
            let reset = failed.isEmpty ? "" : "systemctl reset-failed \(failed.joined(separator: " ")) && "
            return fault(
                of: group, "the user and the group '\(group)' do not both exist",
                run: "systemd-sysusers && \(reset)systemctl restart \(ManagerScope.socketUnit)")
        }
        func isClosed(_ path: String, _ bits: mode_t) -> mode_t? {
            var file = stat()
            return stat(path, &file) == 0 && file.st_mode & bits == 0 ? file.st_mode & 0o777 : nil
        }
        if let mode = isClosed(socket.parent, 0o011) {
            return fault(
                of: socket.parent, "members of the group '\(group)' cannot enter \(socket.parent): mode \(mode.octal)",
                run: "systemd-tmpfiles --create xcallbackd.conf")
        }
        guard units.socket.isActive, let mode = isClosed(socket, 0o022) else { return nil }
        return fault(
            of: socket, "members of the group '\(group)' cannot connect to \(socket): mode \(mode.octal)",
            run: "systemctl restart \(ManagerScope.socketUnit)")
    }

    /// Whether the program server of the system's daemon can run programs.
    var programServerFindings: [Finding] {
        guard scope == .system, isOfUnit, runsPrograms,
            let server = scope?.units(["xcallbackd-run.socket", "xcallbackd-run@doctor.service"])
        else { return [] }
        let (socket, user) = (server[0], server[1]["User"])
        if socket.isMasked {
            return [Finding(.note, of: socket.name, "\(socket.name) is masked: programs run in the daemon's sandbox")]
        }
        guard socket.isLoaded else { return [] }
        if !user.isEmpty, UInt32(user) == nil, UserDatabase.userID(named: user) == nil {
            let unit = "xcallbackd-run@.service"
            let command = user == "xcallback-run" ? "systemd-sysusers" : scope?.removal(of: ["User"], from: unit)
            return [
                fault(of: unit, "programs cannot run: \(unit) has the user '\(user)', who does not exist", run: command)
            ]
        }
        let path = "/run/\(socket.name)"
        if socket.isActive, access(path, F_OK) == 0 { return [] }
        let reset = socket.isFailed ? "systemctl reset-failed \(socket.name) && " : ""
        // A configuration that was loaded without the socket runs programs in the sandbox.
        let command = "\(reset)systemctl restart \(socket.name) && systemctl reload \(ManagerScope.serviceUnit)"
        let problem = socket.isActive ? "\(path) was removed" : "\(socket.name) is \(socket.activity)"
        return [fault(of: socket.name, "programs cannot run: \(problem)", run: command)]
    }

    /// Whether a route runs a program, or can.
    private var runsPrograms: Bool {
        let stages = ["exec", "confirm", "deliver"]
        return routes?.contains { stages.contains(where: ([$0.handler] + $0.policies + $0.middleware).contains) }
            ?? true
    }

    /// Credentials of the service that only a restart reads again, or that the next start will miss.
    var credentialFindings: [Finding] {
        guard let scope, isOfUnit else { return [] }
        return Credential.all(of: scope).compactMap { credential in
            credential.isMissing
                ? fault(
                    of: credential.path,
                    "\(credential.path) is missing, which has credential '\(credential.name)': the next start will fail",
                    run: credential.creation, Credential.advice)
                : credential.problem.map { fault(of: credential.path, $0, run: "\(scope.systemctl) \(Self.restart)") }
        }
    }

    private static var restart: String { "restart \(ManagerScope.serviceUnit)" }

    /// Daemons whose program was replaced, which one command restarts; root sees those of all users.
    var replacedFindings: [Finding] {
        let processes = visibleEntries(of: "/proc").compactMap { Int32($0) }.compactMap { ProcessState(of: $0) }
        let replaced = processes.filter { $0.isDaemon && $0.isReplaced }
        let seesUsers = geteuid() == 0 && scope == .system
        let ids = Set(seesUsers ? replaced.compactMap(\.managingUser) : [])
        let users = ids.compactMap { UserDatabase.name(of: $0) }.sorted()
        var (daemons, commands) = (users.prefix(10).map { "that of \($0)" }, [String]())
        if users.count > 10 { daemons.append("and \(users.count - 10) more") }
        if let scope, replaced.contains(where: { $0.id == units?.service.process }) {
            daemons.insert(scope == .system ? "the system's" : "yours", at: 0)
            commands = ["\(scope.systemctl) \(Self.restart)"]
        }
        if !users.isEmpty {
            let restart = "systemctl --user --machine=\"$user@.host\" try-\(Self.restart)"
            commands.append("for user in \(users.map(\.shellWord).joined(separator: " ")); do \(restart); done")
        }
        if commands.isEmpty {
            guard let daemon, !isOfUnit, replaced.contains(where: { $0.id == daemon.processID }) else { return [] }
            let text = "the program of process \(daemon.processID) was replaced since it started"
            return [Finding(.note, of: "xcallbackd", text, advice: "end it, and start xcallbackd again")]
        }
        let fix = Finding.Fix(commands.joined(separator: "; "), needsRoot: scope?.needsRoot == true)
        let text = "daemons whose program was replaced since they started: \(daemons.joined(separator: ", "))"
        return [Finding(.note, of: "xcallbackd", text, fix: fix)]
    }

    private func fault(of subject: String, _ text: String, run command: String?, _ advice: String? = nil) -> Finding {
        Finding(
            .fault, of: subject, text, fix: command.map { .init($0, needsRoot: scope?.needsRoot == true) },
            advice: advice)
    }
}

/// The reason why the service manager could not start the daemon the last time.
struct StartFailure {
    /// The end of a sentence about the unit.
    let text: String
    /// The command that removes the cause; nil if none can.
    let command: String?
    private(set) var advice: String?

    /// Reads the reason from the state of the unit; nil without a known one.
    init?(of service: ManagedUnit, in scope: ManagerScope) {
        guard service.isFailed || service.isRestarting else { return nil }
        let name = ManagerScope.serviceUnit
        func edit(_ keys: String...) -> String? { scope.removal(of: keys, from: name) }
        switch service.exitStatus {
        case 203:
            let path = service.program
            if access(path, F_OK) != 0 {
                text = "its program \(path) does not exist (203/EXEC)"
                command = scope.removal(of: ["ExecStart"], with: path, from: name)
                let own = scope.lines(of: ["ExecStart"], in: name).first {
                    $0.file.hasPrefix("/etc/") && $0.value.contains(path)
                }
                let cause = own.map { "correct ExecStart= in \($0.file)" } ?? "reinstall xcallbackd"
                advice = command == nil ? "first \(cause)" : nil
            } else if !ToolRun.isExecutable(path) {
                (text, command) = ("its program \(path) is not executable (203/EXEC)", "chmod 755 \(path.shellWord)")
            } else {
                text = "its program \(path) cannot be executed (203/EXEC)"
                command = access("/sys/fs/selinux/enforce", F_OK) == 0 ? "restorecon -v \(path.shellWord)" : nil
            }
        case 216, 217:
            text =
                "its user '\(service["User"])' or group does not exist (\(service.exitStatus == 216 ? "216/GROUP" : "217/USER"))"
            command = edit("User", "Group") ?? "systemd-sysusers"
        case 243:
            let missing = Credential.all(of: scope).first(where: \.isMissing)
            text = "its credential \(missing.map { "\($0.path) does not exist" } ?? "cannot be read") (243/CREDENTIALS)"
            command = missing?.creation
            advice = missing == nil ? nil : Credential.advice
        case 9 where service.isKilledForMemory(in: scope):
            text = "the system killed it, because it took more memory than MemoryMax= allows (OOM)"
            command = edit("MemoryMax", "MemoryHigh")
        case 71 where service["StatusText"].contains("no more threads"):
            (text, command) = (service["StatusText"], edit("TasksMax", "LimitNPROC"))
        default: return nil
        }
    }
}

/// A credential that a unit of the daemon loads from a file.
struct Credential {
    let name: String
    let path: String
    /// The copy that the daemon got at its start.
    private let copy: String
    /// Whether the start does not need the file.
    private let hasDefault: Bool

    /// The credentials of a daemon's unit and its drop-ins.
    static func all(of scope: ManagerScope) -> [Credential] {
        func values(_ key: String) -> [[String]] {
            scope.lines(of: [key], in: ManagerScope.serviceUnit)
                .map { $0.value.split(separator: ":", maxSplits: 1).map(String.init) }.filter { $0.count == 2 }
        }
        // The value of 'SetCredential' is a secret and no path; only systemd knows what '%' stands for.
        let loaded = values("LoadCredential").filter { $0[1].hasPrefix("/") && !$0[1].contains("%") }
        let names = (loaded + values("SetCredential")).map { $0[0] }
        return loaded.map { parts in
            Credential(
                name: parts[0], path: parts[1], copy: "\(scope.credentialFolder)/\(parts[0])",
                hasDefault: names.count { $0 == parts[0] } > 1)
        }
    }

    var isMissing: Bool { !hasDefault && access(path, F_OK) != 0 && errno == ENOENT }
    /// The command that creates the file.
    var creation: String { "install -D -m 600 /dev/stdin \(path.shellWord)" }
    static let advice = "it reads the secret from standard input: type it, then press Ctrl-D"

    /// What only a restart repairs; nil if the daemon has what the file contains.
    var problem: String? {
        // The command that reloads the unit sees no copy, but knows the daemon.
        let daemon = variable("MAINPID").flatMap { Int32($0) }.flatMap { ProcessState(of: $0) }
        guard let changed = changeTime(ofFile: path),
            let copied = changeTime(ofFile: copy) ?? daemon?.startDate
        else { return nil }
        // Only root can compare them.
        let contents = [path, copy].compactMap { try? SmallFile($0).bytes }
        let isSame = contents.count == 2 ? contents[0] == contents[1] : changed < copied
        return isSame ? nil : "credential '\(name)' (\(path)) was replaced after the start, and only a restart reads it"
    }
}

extension SocketOption {
    /// Warns of credentials that a reload does not read.
    func warnOfCredentials() {
        guard let path = try? SocketLocation(option: socket).path(), let scope = ManagerScope(socket: path) else {
            return
        }
        for problem in Credential.all(of: scope).compactMap(\.problem) {
            Terminal.printError("warning: \(problem): run '\(scope.systemctl) restart \(ManagerScope.serviceUnit)'")
        }
    }
}

extension ManagedUnit {
    /// The program that it starts.
    fileprivate var program: String {
        String(self["ExecStart"].split(separator: " ").first { $0.hasPrefix("path=") }?.dropFirst(5) ?? "")
    }

    /// Whether the kernel killed it because of its memory, which a limit of starts hides.
    fileprivate func isKilledForMemory(in scope: ManagerScope) -> Bool {
        if result == "oom-kill" { return true }
        let unit = scope == .system ? "UNIT=" : "USER_UNIT="
        // SD_MESSAGE_UNIT_OUT_OF_MEMORY
        let match = ["MESSAGE_ID=fe6faa94e7774663a0da52717891d8ef", "\(unit)\(name)"]
        let options = ["--quiet", "--boot", "--lines=1", "--output=cat"] + (scope == .system ? [] : ["--user"])
        return !ToolRun(asking: ["journalctl"] + options + match, limit: .seconds(5)).output.isEmpty
    }
}

extension ManagerScope {
    /// Where the service manager puts the credentials of the daemon.
    fileprivate var credentialFolder: String {
        "\(socket.parent.parent)/credentials/\(Self.serviceUnit)"
    }

    /// The lines of a unit and its drop-ins that set one of some keys, with their files.
    fileprivate func lines(of keys: [String], in unit: String) -> [(file: String, value: String)] {
        let folders = Set(unitFolders.compactMap { realPath($0) }).sorted()
        let files = folders.flatMap { folder in
            ["\(folder)/\(unit)"] + visibleEntries(of: "\(folder)/\(unit).d").map { "\(folder)/\(unit).d/\($0)" }
        }
        return files.filter { $0.hasSuffix(".conf") || $0.hasSuffix(".service") }.flatMap { file in
            ((try? SmallFile(file).text) ?? "").split(separator: "\n").compactMap { line in
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    .map { String($0.drop { $0 == " " }) }
                let key = parts[0].prefix { $0 != " " }
                return parts.count == 2 && keys.contains(String(key)) ? (file, parts[1]) : nil
            }
        }
    }

    /// Returns the command that turns settings in the drop-ins of a unit into comments; nil if none has them.
    fileprivate func removal(of keys: [String], with value: String? = nil, from unit: String) -> String? {
        let set = lines(of: keys, in: unit).filter { line in value.map { line.value.contains($0) } ?? true }
        let files = set.map(\.file).filter { $0.contains(".d/") }
        guard !files.isEmpty else { return nil }
        let edits = keys.map { "-e 's/^ *\($0) *=/#&/'" }.joined(separator: " ")
        let names = Set(files).sorted().map(\.shellWord).joined(separator: " ")
        return "sed -i \(edits) \(names) && \(systemctl) daemon-reload"
    }
}

extension ProcessState {
    fileprivate var isDaemon: Bool { program.map { $0.hasSuffix("/xcallbackd") } ?? false }

    /// Whether the file of its program is another one than that which it runs.
    fileprivate var isReplaced: Bool {
        guard let path = try? programPath(ofProcess: "\(id)") else { return false }
        return FileIdentity(ofFile: "/proc/\(id)/exe") != FileIdentity(ofFile: String(decoding: path, as: UTF8.self))
    }

    /// When it started, in nanoseconds since 1970.
    fileprivate var startDate: Int64 {
        let start = Int64(startTime) * (1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK))))
        return Int64(wallTime() / .nanoseconds(1)) - (bootTime() - start)
    }

    /// The user whose service manager has started it as the daemon; nil if none has.
    fileprivate var managingUser: UInt32? { Self.controlGroup(of: "\(id)").flatMap { Self.managingUser(in: $0) } }

    /// The user whose service manager runs the daemon in a control group; nil for another group, or one of a container.
    package static func managingUser(in group: Substring) -> UInt32? {
        let parts = group.split(separator: "/")
        guard parts.count > 4, parts[1] == "user.slice", parts[3].hasPrefix("user@"),
            parts[4...].dropLast().allSatisfy({ $0.hasSuffix(".slice") }), parts.last ?? "" == ManagerScope.serviceUnit
        else { return nil }
        return UInt32(parts[3].dropFirst(5).prefix { $0 != "." })
    }
}

extension mode_t {
    fileprivate var octal: String { "0\(String(self, radix: 8))" }
}
