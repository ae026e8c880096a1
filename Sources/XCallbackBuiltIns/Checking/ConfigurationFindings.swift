package import Logging
package import XCallbackConfiguration
import XCallbackRouter
package import XCallbackWire

/// The findings of a check of a configuration that is not served.
package struct ConfigurationFindings: Sendable {
    /// The configuration file; nil if no file is found.
    package let file: String?
    /// The number of routes; 0 after a fault.
    package let routeCount: Int
    /// The schemes of the routes; empty after a fault.
    package let schemes: [String]
    /// The number of files of the configuration.
    package let fileCount: Int
    /// The faults that prevent the configuration from being served; nil if there are none.
    package let error: ConfigurationError?
    /// The likely mistakes.
    package let warnings: ConfigurationWarnings
    /// The parts that were not checked.
    package let leftUnchecked: ConfigurationWarnings

    /// The content of the configuration, in a few words for people.
    package var summary: String {
        RouterConfiguration.summary(of: routeCount, schemes, fileCount)
    }
}

extension ConfigurationFindings {
    /// Takes the findings of a load.
    ///
    /// - Parameters:
    ///   - result: The configuration, or its faults.
    ///   - file: The configuration file.
    ///   - receivers: The routes of receivers, to compare the types of their parameters.
    package init(
        _ result: Result<RouterConfiguration, ConfigurationError>, in file: String?,
        _ receivers: [(name: String, routes: [UInt8])] = []
    ) {
        self.file = file
        let configuration = try? result.get()
        routeCount = configuration?.routeCount ?? 0
        schemes = configuration?.pipeline.schemes.map(\.name) ?? []
        fileCount = configuration?.fileCount ?? 1
        error = if case .failure(let error) = result { error } else { nil }
        // Instances of one program differ in the same way.
        var differences: [Fault] = []
        for receiver in receivers {
            let found = configuration?.differences(from: receiver.routes, deliveredTo: receiver.name) ?? []
            differences += found.filter { !differences.contains($0) }
        }
        let found = configuration?.warnings ?? error?.warnings ?? ConfigurationWarnings()
        warnings = ConfigurationWarnings(found.warnings + differences, count: found.count + differences.count)
        leftUnchecked = configuration?.leftUnchecked ?? ConfigurationWarnings()
    }

    /// Checks a configuration in a process that is not the daemon's.
    package init(checking places: ConfigurationPlaces) {
        let result = Result { () throws(ConfigurationError) in
            try RouterConfiguration(
                in: places, LoadOptions(ownership: places.ownership, logger: .silent, purpose: .checking))
        }
        self.init(result, in: places.file)
    }
}

// MARK: - The reply to `Check`

extension ConfigurationFindings {
    /// The findings as the reply to `Check`.
    package var reply: JSONValue {
        [
            "file": file.map { .string($0) } ?? .null, "files": .number(JSONNumber(fileCount)),
            "routes": .number(JSONNumber(routeCount)), "schemes": .texts(schemes),
            "faults": .array(error?.faults.map(\.reply) ?? []), "fault_count": .number(JSONNumber(error?.count ?? 0)),
            "warnings": .array(warnings.warnings.map(\.reply)), "warning_count": .number(JSONNumber(warnings.count)),
        ]
    }

    /// Reads a reply; nil if it is invalid.
    package init?(reply: JSONValue) {
        guard let fileCount = reply["files"]?.integer, let routeCount = reply["routes"]?.integer,
            let faults = reply["faults"]?.elements?.compactMap({ Fault($0, .fault) }),
            let warnings = reply["warnings"]?.elements?.compactMap({ Fault($0, .warning) })
        else { return nil }
        file = reply["file"]?.text
        self.fileCount = fileCount
        self.routeCount = routeCount
        schemes = reply["schemes"]?.elements?.compactMap(\.text) ?? []
        self.warnings = ConfigurationWarnings(warnings, count: reply["warning_count"]?.integer)
        error =
            faults.isEmpty
            ? nil
            : ConfigurationError(faults: faults, count: reply["fault_count"]?.integer, warnings: self.warnings)
        leftUnchecked = ConfigurationWarnings()
    }
}

extension Fault {
    /// The fault as in the replies to `Check` and `Reload`.
    package var reply: JSONValue {
        let other = other.map { JSONValue.object([.init("role", .string($0.role))] + $0.place.members) }
        return .object(
            place.members
                + .init(present: [
                    "message": .string(message), "other": other, "excerpt": excerpt.map { .string($0) },
                    "breaks_route": breaksRoute ? .bool(true) : nil,
                ]))
    }

    fileprivate init?(_ value: JSONValue, _ severity: Severity) {
        guard let place = Place(value), let message = value["message"]?.text else { return nil }
        let other = value["other"].flatMap { other in
            Place(other).map { Fault.Other(other["role"]?.text ?? "the other is", at: $0) }
        }
        self.init(
            place: place, message: message, other: other, excerpt: value["excerpt"]?.text, severity: severity,
            breaksRoute: value["breaks_route"]?.truth ?? false)
    }
}

extension Place {
    fileprivate var members: [JSONValue.Member] {
        if line == 0 { return [.init("file", .string(file))] }
        return [
            .init("file", .string(file)), .init("line", .number(JSONNumber(line))),
            .init("column", .number(JSONNumber(column))), .init("length", .number(JSONNumber(length))),
        ]
    }

    fileprivate init?(_ value: JSONValue) {
        guard let file = value["file"]?.text else { return nil }
        guard let line = value["line"]?.integer, let column = value["column"]?.integer else {
            self.init(file: file)
            return
        }
        self.init(file: file, line: line, column: column, length: value["length"]?.integer ?? 1)
    }
}

extension Logger {
    /// A logger that discards everything.
    package static var silent: Logger { Logger(label: "xcallback") { _ in SwiftLogNoOpLogHandler() } }
}
