import ArgumentParser
import Glibc
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackWire

/// Checks a configuration and prints its faults.
struct CheckCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Report faults and warnings of the configuration.",
        discussion: """
            Faults keep the daemon from serving a configuration. Warnings do not: they report a route that never \
            answers, a program that is missing or that a web page can run, and other likely mistakes. Without FILE, \
            a running daemon checks what it would load, because it has its own PATH, rights and credentials. Otherwise \
            what only the daemon can see is reported as 'not checked here'.

            Example: xcallback check && xcallback reload

            Exit status: 0 valid, 78 faults. Faults, warnings and what was not checked are printed on standard error.
            """
    )

    @Argument(
        help: "A configuration that no daemon reads yet. Default: the one that the daemon reads.",
        completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp("The same as FILE, for consistency with other commands.", valueName: "file"),
        completion: .file())
    var config: String?

    @Flag(
        help: """
            Print one JSON object on standard output: valid, routes, faults, warnings, unchecked, daemon, refusal, reads.
            """)
    var json = false

    @OptionGroup var location: SocketOption

    func validate() throws {
        if file != nil, config != nil { throw ValidationError("Give one configuration: FILE or '--config FILE'.") }
    }

    func run(asking _: Client) async throws {
        let checked = await self.checked()
        if checked.isOfDaemon { location.warnOfCredentials() }
        if json { try Terminal.print(checked.json) } else { try print(checked) }
        if checked.findings.error != nil { throw ExitCode(ExitStatus.configuration.rawValue) }
    }

    private func checked() async -> CheckedConfiguration {
        if let name = file ?? config { return CheckedConfiguration(of: ConfigurationPlaces(of: name)) }
        return await CheckedConfiguration(servedAt: location)
    }

    private func print(_ checked: CheckedConfiguration) throws {
        let findings = checked.findings
        if let file = checked.otherFile {
            Terminal.printError("xcallback: checking \(file.withVisibleControls), which the daemon reads")
        }
        if let error = findings.error { return Terminal.printError(error.textWithWarnings) }
        if let refusal = checked.refusal {
            Terminal.printError("xcallback: cannot ask the daemon: \(refusal.withVisibleControls)")
        }
        for notes in [findings.warnings, findings.leftUnchecked] where !notes.isEmpty { Terminal.printError(notes) }
        try Terminal.print(findings.summary)
    }
}

extension CheckedConfiguration {
    /// The findings as a JSON object.
    fileprivate var json: JSONValue {
        [
            "valid": .bool(findings.error == nil), "routes": .number(JSONNumber(findings.routeCount)),
            "faults": .array(findings.error?.faults.map(\.json) ?? []),
            "warnings": .array(findings.warnings.warnings.map(\.json)),
            "unchecked": .array(findings.leftUnchecked.warnings.map(\.json)), "daemon": .bool(isOfDaemon),
            "refusal": refusal.map { .string($0) } ?? .null, "reads": otherFile.map { .string($0) } ?? .null,
        ]
    }
}

/// The findings in a configuration: those of the daemon that reads it, or of this process.
struct CheckedConfiguration: Sendable {
    /// The findings.
    let findings: ConfigurationFindings
    /// Whether they are the daemon's.
    let isOfDaemon: Bool
    /// Why an existing or named daemon was not asked; nil if it was asked, or if there is none.
    let refusal: String?
}

extension CheckedConfiguration {
    /// Checks a configuration in this process.
    ///
    /// - Parameters:
    ///   - places: The locations of its files.
    ///   - refusal: Why the daemon was not asked; nil if there is none.
    init(of places: ConfigurationPlaces, refusal: String? = nil) {
        let findings = ConfigurationFindings(checking: places)
        self.init(findings: findings, isOfDaemon: false, refusal: findings.error == nil ? refusal : nil)
    }

    /// Lets a daemon check the configuration that it would load.
    ///
    /// - Parameters:
    ///   - daemon: The daemon.
    ///   - places: The locations of the files that this process checks if the daemon does not.
    init(servedBy daemon: Client, or places: ConfigurationPlaces) async {
        do {
            let reply = try await ReplyWatch.wait("to check its configuration") { try await daemon.call("Check") }
            guard let findings = ConfigurationFindings(reply: reply) else {
                throw ClientError(.incompatible, "the daemon's reply to Check is invalid")
            }
            self.init(findings: findings, isOfDaemon: true, refusal: nil)
        } catch {
            self.init(of: places, refusal: Self.line(error))
        }
    }

    /// Lets the daemon at a socket check its configuration if it runs; otherwise checks the default one.
    ///
    /// - Parameter location: The socket on the command line.
    init(servedAt location: SocketOption) async {
        let candidates = SocketLocation(option: location.socket).candidates
        let isNamed = candidates.count == 1
        let own = geteuid() == 0 ? SocketLocation.systemPath : SocketLocation.userPath()
        let socket = isNamed ? candidates[0] : own
        let places = ConfigurationPlaces(of: nil)
        if ManagerScope(socket: socket)?.startsForClients ?? false {
            self.init(of: places, refusal: isNamed ? "it does not run, and 'check' does not start it" : nil)
            return
        }
        let daemon = Client(socket: socket)
        do {
            // A daemon that hangs would block this for good; a check itself takes time.
            _ = try await daemon.statusInTime()
        } catch {
            let isAbsent = (error as? ClientError)?.missing.isEmpty == false
            self.init(of: places, refusal: isAbsent && !isNamed ? nil : Self.line(error))
            return
        }
        await self.init(servedBy: daemon, or: places)
    }

    /// The file that the daemon reads in place of the default one; nil if there is none.
    var otherFile: String? {
        guard isOfDaemon, let file = findings.file, !ConfigurationPlaces(of: nil).contains(file) else { return nil }
        return file
    }

    private static func line(_ error: any Error) -> String {
        "\(error)".split(separator: "\n").joined(separator: "; ")
    }
}

extension ConfigurationPlaces {
    /// Creates the configuration locations of the calling user's daemon.
    ///
    /// - Parameter path: The configuration file; nil for the daemon's default.
    init(of path: String?) {
        if let path {
            self.init(file: path)
        } else {
            let isSystem = geteuid() == 0
            self.init(isSystem: isSystem) { name in getenv(name).map { String(cString: $0) } }
        }
    }

    /// Whether no configuration file exists.
    var isEmpty: Bool { candidates.allSatisfy { access($0, F_OK) != 0 && errno == ENOENT } }
}

extension RouterConfiguration {
    /// Loads a configuration as the calling user's daemon would, without reading secrets, because it serves no requests.
    ///
    /// - Parameter path: The configuration file; nil for the daemon's default.
    /// - Throws: ``ConfigurationError`` with all faults.
    init(loading path: String?) throws(ConfigurationError) {
        try self.init(reading: ConfigurationPlaces(of: path))
    }

    /// Loads a configuration from its locations in the same way.
    init(reading places: ConfigurationPlaces) throws(ConfigurationError) {
        try self.init(in: places, LoadOptions(ownership: places.ownership, logger: .silent, purpose: .reading))
    }

    /// Loads a configuration as the calling user's daemon would, for a command.
    ///
    /// - Parameters:
    ///   - path: The configuration file; nil for the daemon's default.
    ///   - isForProgram: Whether a program reads the result; then the faults go to standard output, too.
    /// - Throws: ``ConfigurationError`` with all faults, or ``Failure``.
    init(checking path: String?, isForProgram: Bool) throws {
        do throws(ConfigurationError) {
            try self.init(loading: path)
        } catch {
            if isForProgram { try Terminal.print(error.report) }
            throw error
        }
    }

    /// The routes as a daemon with this configuration lists them.
    var routes: [Client.CatalogueRoute] {
        pipeline.routes.indices.map { Client.CatalogueRoute(reading: routeJSON($0)) }
    }
}

extension Fault {
    /// The fault as a JSON object; line 0 means the whole file.
    var json: JSONValue {
        [
            "file": .string(place.file), "line": .number(JSONNumber(place.line)),
            "column": .number(JSONNumber(place.column)), "message": .string(message),
            "other": other.map { .string("\($0.place)") } ?? .null,
        ]
    }
}

extension Client.Fault {
    /// The fault as a JSON object, in the daemon's form; line 0 means the whole file.
    private var json: JSONValue {
        [
            "file": .string(file), "line": .number(JSONNumber(line ?? 0)), "column": .number(JSONNumber(column ?? 0)),
            "message": .string(message),
        ]
    }

    /// The JSON object that replaces the result that faults prevent.
    static func report(_ faults: [Self]) -> JSONValue { ["faults": .array(faults.map(\.json))] }
}

extension ConfigurationError {
    /// The JSON object that replaces the result that faults prevent.
    var report: JSONValue { ["faults": .array(faults.map(\.json))] }
}

/// Makes the daemon reload its configuration.
struct ReloadCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Reload the configuration, and wait for the result.",
        discussion: """
            Prints the difference, one route per line: + is new, - is removed, ~ is changed. A last line names other \
            settings that changed. Warnings and faults are printed on standard error. After faults, the daemon keeps \
            its previous configuration; in the system's daemon, programs of routes that differ from it answer 503. Only \
            the daemon's user and root can reload.

            Example: xcallback reload --json

            Exit status: 0 reloaded, 1 faults, 5 not allowed, 7 daemon not reachable, 64 usage.
            """
    )

    @Flag(help: "Print one JSON object: routes, added, removed, changed, settings, warnings; or faults.")
    var json = false

    @Flag(help: "Print neither the difference nor warnings and faults, which the daemon's log has.")
    var quiet = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let reply = try await reply(of: daemon)
        location.warnOfCredentials()
        let menuChange = await location.updateMenuEntries(of: daemon)
        if quiet { return }
        if json { return try Terminal.print(reply) }
        try Client.RouteChange(reading: reply).print()
        if let menuChange { try Terminal.print(menuChange) }
    }

    /// Returns the daemon's reply; for programs, prints the faults on standard output, too.
    private func reply(of daemon: Client) async throws -> JSONValue {
        do {
            return try await ReplyWatch.wait("to read its configuration") { try await daemon.call("Reload") }
        } catch let error as ClientError {
            if quiet, case .notLoaded = error.reason { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
            if json, case .notLoaded(let faults) = error.reason { try Terminal.print(Client.Fault.report(faults)) }
            if case .notLoaded = error.reason, try location.isOfSystem {
                Terminal.printError("until a reload succeeds, programs of changed routes answer 503")
            }
            throw error
        }
    }
}

extension Client.RouteChange {
    /// Prints the warnings and the differences, for people.
    ///
    /// - Throws: ``Failure`` if standard output cannot be written.
    func print() throws(Failure) {
        for warning in warnings { Terminal.printError("warning: \(warning)".withVisibleControls) }
        let summary = "\(routeCount) \(routeCount == 1 ? "route" : "routes")"
        let lines = added.map { "+ \($0)" } + removed.map { "- \($0)" } + changed.map { "~ \($0)" }
        let difference =
            lines.isEmpty ? "as before" : "\(added.count) added, \(removed.count) removed, \(changed.count) changed"
        let others = settings.isEmpty ? [] : ["changed settings: \(settings.joined(separator: ", "))"]
        try Terminal.print(
            (["\(summary): \(difference)"] + (lines + others).map(\.withVisibleControls)).joined(separator: "\n"))
    }
}
