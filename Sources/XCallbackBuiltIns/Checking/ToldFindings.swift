package import XCallbackConfiguration
package import XCallbackJSON

/// The daemon's findings about a configuration that it was asked to check: the reply to `Check`.
package struct ToldFindings {
    let routeCount: Int
    let schemes: [String]
    /// The faults in the reply, out of ``faultCount``.
    private(set) var faults: [Fault]
    let faultCount: Int
    private(set) var warnings: [Fault]
    let warningCount: Int

    /// Reads a reply; nil if it is invalid.
    package init?(_ reply: JSONValue) {
        guard let routeCount = reply["routes"]?.integer, let faultCount = reply["fault_count"]?.integer,
            let warningCount = reply["warning_count"]?.integer
        else { return nil }
        self.routeCount = routeCount
        self.faultCount = faultCount
        self.warningCount = warningCount
        schemes = reply["schemes"]?.elements?.compactMap(\.text) ?? []
        faults = reply["faults"]?.elements?.compactMap { Fault($0) } ?? []
        warnings = reply["warnings"]?.elements?.compactMap { Fault($0) } ?? []
    }
}

extension ToldFindings {
    /// Returns the findings with other file names, keyed by the names in the reply.
    func named(_ names: [String: String]) -> ToldFindings {
        var findings = self
        findings.faults = faults.map { $0.named(names) }
        findings.warnings = warnings.map { $0.named(names) }
        return findings
    }
}

extension ConfigurationFindings {
    /// The reply to `Check`.
    package var reply: JSONValue {
        [
            "routes": .number(JSONNumber(routeCount)), "schemes": .texts(schemes),
            "faults": .array(error?.faults.map(\.reply) ?? []), "fault_count": .number(JSONNumber(error?.count ?? 0)),
            "warnings": .array(warnings.warnings.map(\.reply)), "warning_count": .number(JSONNumber(warnings.count)),
        ]
    }
}

extension Fault {
    /// The fault as in the replies to `Check` and `Reload`.
    package var reply: JSONValue {
        var members = place.members + [JSONValue.Member("message", .string(message))]
        if let other {
            let role = JSONValue.Member("role", .string(other.role))
            members.append(.init("other", .object([role] + other.place.members)))
        }
        return .object(members)
    }

    fileprivate init?(_ value: JSONValue) {
        guard let place = Place(value), let message = value["message"]?.text else { return nil }
        let other = value["other"].flatMap { other in
            Place(other).map { Fault.Other(other["role"]?.text ?? "the other is", at: $0) }
        }
        self.init(place: place, message: message, other: other)
    }
}

extension Fault {
    fileprivate func named(_ names: [String: String]) -> Fault {
        let other = other.map { Fault.Other($0.role, at: $0.place.named(names)) }
        return Fault(place: place.named(names), message: message, other: other)
    }
}

extension Place {
    fileprivate func named(_ names: [String: String]) -> Place {
        Place(file: names[file] ?? file, line: line, column: column, length: length)
    }

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
