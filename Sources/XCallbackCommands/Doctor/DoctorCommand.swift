import ArgumentParser
import Glibc
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackWire

/// Checks everything that URLs need on their way, and reports problems with remedies.
struct DoctorCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find problems, and print the commands that help.",
        discussion: """
            Checks the daemon with its units, the configuration, the programs of the routes, and what assistants \
            reach. For a user's daemon, also checks the desktop, if there is one: its tools, and the application of \
            each scheme. FAULT marks what keeps an action from working. Prints a command for each problem that a \
            command can fix. Changes nothing.

            With a URL, or a scheme with a colon, finds out why the desktop does not open such links, of any \
            application: which desktop entry it starts, and what that does with the URL. Starts nothing.

            Example: xcallback doctor
            Example: xcallback doctor zotero://select/library/items/ABCD2345

            Exit status: 0 no FAULT, 1 at least one.
            """
    )

    @Argument(
        help: ArgumentHelp("A link that does not open, or its scheme with a colon.", valueName: "url"),
        completion: .live(.action))
    var url: String?

    @OptionGroup var source: ConfigurationOption

    @Flag(
        help: "Print one JSON object: well, findings; each with subject, state, finding, fix, root, advice.")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let findings =
            if let url {
                try await LinkExamination(url).findings(asking: daemon)
            } else {
                await Examination(socket: location.socket, config: source.config).findings
            }
        let isWell = !findings.contains { $0.state == .fault }
        if json {
            try Terminal.print(["well": .bool(isWell), "findings": .array(findings.map(\.json))] as JSONValue)
        } else {
            for finding in findings { try Terminal.print(finding) }
        }
        if !isWell { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
    }
}

/// The result of a check for one subject.
struct Finding: CustomStringConvertible {
    enum State: String {
        case good, note, fault, skipped

        fileprivate var mark: String {
            switch self {
            case .good: "ok   "
            case .note: "note "
            case .fault: "FAULT"
            case .skipped: "-    "
            }
        }
    }

    /// A command that fixes the problem, quoted for a shell.
    struct Fix {
        let command: String
        /// Whether it needs root privileges, which the caller lacks.
        let needsRoot: Bool

        init(_ command: String, needsRoot: Bool = false) {
            self.command = command
            self.needsRoot = needsRoot
        }
    }

    /// The subject, such as a path or the name of a unit.
    let subject: String
    let state: State
    let text: String
    let fix: Fix?
    /// Advice in addition to the command, or instead of it, in lines.
    let advice: String?

    init(_ state: State, of subject: String, _ text: String, fix: Fix? = nil, advice: String? = nil) {
        self.state = state
        self.subject = subject
        self.text = text
        self.fix = fix
        self.advice = advice
    }

    /// Creates a fault from a failure, whose first line is the problem.
    init(of subject: String, _ failure: Failure) {
        let lines = failure.message.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(.fault, of: subject, String(lines[0]), advice: lines.dropFirst().first.map(String.init))
    }

    /// Creates a finding from a fault of a configuration, whose message can end with a command.
    init(_ state: State, _ fault: Fault, advice: String? = nil) {
        let subject = "\(fault.place)"
        let text = "\(subject): \(fault.message)"
        guard text.hasSuffix("'"), let start = text.ranges(of: ": run '").last else {
            self.init(state, of: subject, text, advice: advice)
            return
        }
        let fix = Fix(String(text[start.upperBound...].dropLast()))
        self.init(state, of: subject, String(text[..<start.lowerBound]), fix: fix, advice: advice)
    }

    /// One line, and more for the remedy.
    var description: String {
        let command = fix.map { ["run\($0.needsRoot ? " as root" : ""): \($0.command)"] } ?? []
        let help = command + (advice?.split(separator: "\n").map(String.init) ?? [])
        return (["\(state.mark) \(text.withVisibleControls)"] + help.map { "      \($0.withVisibleControls)" })
            .joined(separator: "\n")
    }

    var json: JSONValue {
        [
            "subject": .string(subject), "state": .string(state.rawValue),
            "finding": .string(text), "fix": fix.map { .string($0.command) } ?? .null,
            "root": .bool(fix?.needsRoot ?? false), "advice": advice.map { .string($0) } ?? .null,
        ]
    }
}

/// The common input of all checks: the daemon that commands reach, its units and its configuration.
struct Examination: Sendable {
    /// Whether the caller names the socket.
    let isNamed: Bool
    /// Without a daemon, the expected one.
    let socket: String
    let scope: ManagerScope?
    /// Nil if no service manager answers.
    let units: (service: ManagedUnit, socket: ManagedUnit)?
    /// The daemon's status, or the error of the call; nil if it was not called.
    let status: Result<Client.Status, any Error>?
    let routes: [Client.CatalogueRoute]?
    /// Its configuration, or the one that the caller names.
    let places: ConfigurationPlaces
    /// The option that selects its configuration in other commands; empty if it is the default.
    let configOption: String
    let checked: CheckedConfiguration
    /// Whether the checked configuration is the one that the daemon reads, as far as can be determined.
    let isConfigurationOfDaemon: Bool
    /// Its configuration, decoded by this process; nil if it has faults.
    let configuration: RouterConfiguration?
    /// The schemes that the daemon serves, including the one of its own answers; nil if unknown.
    let schemes: [String]?
    /// Why the desktop is not checked; nil if it is.
    let desktopAbsence: String?
    /// The owner of each scheme according to the desktop's tools; empty if the desktop is not checked.
    let owners: [SchemeOwner]

    /// Collects the input of the checks, for the socket and the configuration on the command line.
    init(socket option: String?, config: String?) async {
        let candidates = SocketLocation(option: option).candidates
        isNamed = candidates.count == 1
        let advised = SocketLocation.startAdvice(for: candidates).scope ?? (geteuid() == 0 ? .system : .user)
        socket = isNamed ? candidates[0] : candidates.first { access($0, F_OK) == 0 } ?? advised.socket
        scope = ManagerScope(socket: socket)
        var units = Self.units(of: scope)
        // If a client connects to the socket of a unit that cannot start, the socket's unit fails, too.
        let isHopeless = units.map { $0.service.isStopped && ($0.service.isMasked || $0.service.isAtLimit) } ?? false
        if let units, units.socket.isActive, isHopeless || units.service.isRestarting {
            status = nil
        } else {
            do { status = .success(try await Client(socket: socket).statusInTime()) } catch { status = .failure(error) }
        }
        let daemon = try? status?.get().service
        // The service manager may have started the daemon for this client, or tried to.
        if status != nil, daemon?.processID != units?.service.process { units = Self.units(of: scope) }
        self.units = units
        routes = daemon == nil ? nil : try? await Client(socket: socket).routes()

        let usual = config == nil && scope == .system ? .init(ofSystemBelow: "") : ConfigurationPlaces(of: config)
        let served = daemon == nil ? nil : await CheckedConfiguration(servedBy: Client(socket: socket), or: usual)
        checked = config == nil ? served ?? CheckedConfiguration(of: usual) : CheckedConfiguration(of: usual)
        // A daemon that was started by hand may read another file.
        let other = config == nil && scope != .system ? checked.otherFile : nil
        places = other.map { ConfigurationPlaces(file: $0) } ?? usual
        // A daemon of another user does not say which files it reads.
        let servedFile = served?.isOfDaemon == true ? served?.findings.file : nil
        isConfigurationOfDaemon =
            servedFile.map(places.contains)
            ?? (config == nil && (scope == .system || daemon == nil || checked.isOfDaemon))
        configOption = places == ConfigurationPlaces(of: nil) ? "" : " --config \(places.candidates[0].shellWord)"
        configuration = checked.findings.error == nil ? try? RouterConfiguration(reading: places) : nil
        schemes =
            configuration.map { SchemeNames.all(in: $0) }
            ?? routes.map { Set($0.map(\.scheme)).union([CallbackRules.answerScheme]).sorted() }
        desktopAbsence = Self.desktopAbsence(scope)
        owners = desktopAbsence == nil ? (schemes ?? []).map { SchemeOwner(asking: $0) } : []
    }

    /// The findings of all checks, in the order in which a request passes the parts that they check.
    var findings: [Finding] {
        if let foreign { return [foreign] }
        let connection = socketFindings + unitFindings
        // A cause is reported once.
        let isExplained = daemon == nil && connection.contains { $0.state == .fault }
        return daemonFindings.filter { !isExplained || $0.state != .fault } + connection + programServerFindings
            + credentialFindings + replacedFindings + configurationFindings + displayFindings
            + assistantFindings + recipeFindings + desktopFindings
    }

    /// A daemon of another user than root, whose files, rights and programs differ from those of this process.
    private var foreign: Finding? {
        var status = stat()
        // Without a daemon, only the parent folder may exist: the user's runtime directory.
        let folders = scope == .system || daemon != nil ? [] : [socket.parent, socket.parent.parent]
        guard let path = folders.first(where: { stat($0, &status) == 0 }), status.st_uid != 0,
            status.st_uid != geteuid()
        else { return nil }
        let text = "this is another user's daemon: \(path) belongs to uid \(status.st_uid)"
        return Finding(.fault, of: socket, text, advice: "run 'xcallback doctor' as that user")
    }

    /// The service that has answered; nil if none.
    var daemon: Client.Status.Service? { (try? status?.get())?.service }

    /// Whether the service manager has started the daemon that has answered.
    var isOfUnit: Bool { daemon.map { $0.processID == units?.service.process } ?? false }

    /// Whether nothing listens at the socket.
    var isAbsent: Bool {
        if case .failure(let error as ClientError) = status { !error.missing.isEmpty } else { false }
    }

    /// The command that makes the daemon reload its configuration.
    var reload: Finding.Fix {
        if let scope, isOfUnit {
            return .init("\(scope.systemctl) reload \(ManagerScope.serviceUnit)", needsRoot: scope.needsRoot)
        }
        let isOwn = geteuid() == 0 || daemon?.userID == geteuid()
        return .init("xcallback reload --socket \(socket.shellWord)", needsRoot: !isOwn)
    }

    private static func units(of scope: ManagerScope?) -> (service: ManagedUnit, socket: ManagedUnit)? {
        scope?.units([ManagerScope.serviceUnit, ManagerScope.socketUnit]).map { ($0[0], $0[1]) }
    }

    private static func desktopAbsence(_ scope: ManagerScope?) -> String? {
        // The administrator of the machine runs the command.
        if scope == .system, geteuid() == 0 { return "this is the system's daemon" }
        return Menu.hasDisplay || variable("XDG_CURRENT_DESKTOP") != nil ? nil : "this session has no display"
    }
}

extension ConfigurationPlaces {
    /// Whether a file belongs to the configuration, however its path is written.
    func contains(_ file: String) -> Bool {
        let folder = file.parent.realPath
        return directories.contains { directory in
            let directory = directory.isEmpty ? "." : directory
            return file.hasSuffix("/\(fileName)") && directory.realPath == folder
                || [folder, folder.parent].contains("\(directory)/\(Self.dropInDirectory)".realPath)
        }
    }
}

extension String {
    /// The absolute path without links; unchanged if nothing exists there.
    fileprivate var realPath: String { XCallbackLinux.realPath(self) ?? self }
}
