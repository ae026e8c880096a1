import ArgumentParser
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackJSON

/// Tells what is wrong with a configuration.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Tell what is wrong with a configuration; no daemon is needed.",
        discussion: """
            Faults keep a configuration from being served. Warnings do not: they tell of a route that never answers, \
            of a program that is not there or that a web page can run, and of other likely mistakes.

            Example: xcallback check && systemctl --user reload xcallbackd

            Exit status: 0 valid, 78 faults. Faults and warnings are printed on standard error.
            """
    )

    @Argument(help: "The configuration; the one that the daemon would read if it is left out.")
    var file: String?

    @Option(help: ArgumentHelp("The same, as other commands are told.", valueName: "file"))
    var config: String?

    @Flag(help: "Print one JSON object on standard output: valid, routes, faults, warnings.")
    var json = false

    func validate() throws {
        if file != nil, config != nil { throw ValidationError("Name one configuration: FILE or '--config FILE'.") }
    }

    func run() throws {
        let file = file ?? config
        guard json else {
            let configuration = try RouterConfiguration(checking: file)
            if !configuration.warnings.isEmpty { Terminal.printError(configuration.warnings) }
            return try Terminal.print(configuration.summary)
        }
        let (configuration, faults) = Self.load(file)
        let report: JSONValue = [
            "valid": .bool(configuration != nil), "routes": .number(JSONNumber(configuration?.routeCount ?? 0)),
            "faults": .array(faults.map(\.json)),
            "warnings": .array(configuration?.warnings.warnings.map(\.json) ?? []),
        ]
        try Terminal.print(report)
        if configuration == nil { throw ExitCode(ExitStatus.configuration.rawValue) }
    }

    /// The configuration, or its faults.
    private static func load(_ file: String?) -> (configuration: RouterConfiguration?, faults: [Fault]) {
        do throws(ConfigurationError) {
            return (try RouterConfiguration(loading: file), [])
        } catch {
            return (nil, error.faults)
        }
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
