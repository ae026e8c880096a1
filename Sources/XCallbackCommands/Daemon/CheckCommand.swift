import ArgumentParser
import Glibc
import Logging
import Synchronization
import XCallback
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackJSON

/// Tells what is wrong with a configuration.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Tell what is wrong with a configuration.",
        discussion: """
            Faults keep a configuration from being served. Warnings do not: they tell of a route that never answers, \
            of a program that is not there or that a web page can run, and of other likely mistakes. The daemon that \
            would read the configuration is asked, if it runs: it has a PATH, rights and credentials of its own. What \
            only it could have told is 'not checked here' without it.

            Example: xcallback check && xcallback reload

            Exit status: 0 valid, 78 faults. Faults, warnings and what was not checked are printed on standard error.
            """
    )

    @Argument(help: "The configuration; the one that the daemon would read if it is left out.")
    var file: String?

    @Option(help: ArgumentHelp("The same, as other commands are told.", valueName: "file"))
    var config: String?

    @Flag(help: "Print one JSON object on standard output: valid, routes, faults, warnings, unchecked, daemon.")
    var json = false

    @OptionGroup var location: SocketOption

    func validate() throws {
        if file != nil, config != nil { throw ValidationError("Name one configuration: FILE or '--config FILE'.") }
    }

    func run() throws {
        let places = ConfigurationPlaces(of: file ?? config)
        let check = ConfigurationCheck(reading: places, ownership: .rootOrUser(geteuid()))
        let service = ServiceUnit(reading: places)
        var findings = check.findings(logger: .silent, checkedFor: service)
        // To ask a daemon that does not run would start it, and it is no help with faults that are known already.
        let isAsked = findings.error == nil && (location.socket != nil || !service.isStopped)
        let told = isAsked ? try check.files.flatMap { try ask(about: $0, in: places) } : nil
        if let told { findings = check.findings(toldBy: told, besides: findings) }
        try json ? Terminal.print(findings.json(isToldByDaemon: told != nil)) : print(findings)
        if findings.error != nil { throw ExitCode(ExitStatus.configuration.rawValue) }
    }

    private func print(_ findings: ConfigurationFindings) throws {
        if let error = findings.error { return Terminal.printError(error) }
        for notes in [findings.warnings, findings.leftUnchecked] where !notes.isEmpty { Terminal.printError(notes) }
        try Terminal.print(findings.summary)
    }

    /// Asks the daemon that would read a configuration; nil if none can be asked.
    private func ask(about files: [ConfigurationFile], in places: ConfigurationPlaces) throws -> ToldFindings? {
        let isOfSystem = places.isOfSystem ?? (geteuid() == 0)
        let usual = isOfSystem ? SocketLocation.systemPath : SocketLocation.userPath()
        let named = SocketLocation(option: location.socket).candidates
        let daemon = Client(socket: named.count == 1 ? named[0] : usual)
        let reply = Mutex<JSONValue?>(nil)
        try waitFor {
            // Whoever may not ask it, or cannot reach it, tells what was not looked at.
            let value = try? await daemon.check(files)
            reply.withLock { $0 = value }
        }
        return reply.withLock { $0 }.flatMap { ToldFindings($0) }
    }
}

extension ConfigurationFindings {
    /// What was found, for programs.
    ///
    /// - Parameter isToldByDaemon: Whether the daemon has looked.
    /// - Returns: An object.
    fileprivate func json(isToldByDaemon: Bool) -> JSONValue {
        [
            "valid": .bool(error == nil), "routes": .number(JSONNumber(routeCount)),
            "faults": .array(error?.faults.map(\.json) ?? []), "warnings": .array(warnings.warnings.map(\.json)),
            "unchecked": .array(leftUnchecked.warnings.map(\.json)), "daemon": .bool(isToldByDaemon),
        ]
    }
}

extension Fault {
    /// The fault for programs: an object; a line of 0 means the file as a whole.
    fileprivate var json: JSONValue {
        [
            "file": .string(place.file), "line": .number(JSONNumber(place.line)),
            "column": .number(JSONNumber(place.column)), "message": .string(message),
            "other": other.map { .string("\($0.place)") } ?? .null,
        ]
    }
}
