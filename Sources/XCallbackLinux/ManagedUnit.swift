/// The state of a unit in its service manager (systemctl(1), `show`).
package struct ManagedUnit: Hashable, Sendable {
    static let keys = [
        "Id", "LoadState", "ActiveState", "UnitFileState", "Result", "NeedDaemonReload", "ExecMainStatus", "MainPID",
    ]

    private let properties: [String: String]

    /// Creates a unit.
    ///
    /// - Parameter properties: The properties by name.
    package init(_ properties: [String: String]) {
        self.properties = properties
    }

    /// Parses the output of `systemctl show`: a block of lines per unit.
    package static func all(in output: String) -> [ManagedUnit] {
        var units: [[String: String]] = [[:]]
        for line in output.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty { units.append([:]) }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2 { units[units.count - 1][parts[0]] = parts[1] }
        }
        return units.filter { !$0.isEmpty }.map(ManagedUnit.init)
    }

    /// The name.
    package var name: String { self["Id"] }
    /// Whether its file was found and read, or the unit is masked.
    package var isKnown: Bool { isMasked || isLoaded }
    /// Whether its file was found and read, and the unit is not masked.
    package var isLoaded: Bool { self["LoadState"] == "loaded" }
    /// Whether it is linked to `/dev/null`, so that nothing can start it.
    package var isMasked: Bool { self["LoadState"] == "masked" }
    /// Whether the mask ends with the next boot.
    package var isMaskedAtRuntime: Bool { self["UnitFileState"] == "masked-runtime" }
    /// Whether the unit has failed; the state is kept until its next start.
    package var isFailed: Bool { activity == "failed" }
    /// Whether it is started at boot or with the session.
    package var isEnabled: Bool { self["UnitFileState"].hasPrefix("enabled") }
    /// Whether it is running.
    package var isActive: Bool { activity == "active" }
    /// Whether it is not running or starting.
    package var isStopped: Bool { ["inactive", "failed", "deactivating"].contains(activity) }
    /// The state, such as `active`.
    package var activity: String { self["ActiveState"] }
    /// The reason for its failure, such as `start-limit-hit`; `success` without a failure.
    package var result: String { self["Result"] }
    /// Whether it was started too often, so that it cannot start again for a while.
    package var isAtLimit: Bool { result.hasSuffix("limit-hit") }
    /// Whether its files have changed since the manager has read them.
    package var isOutdated: Bool { self["NeedDaemonReload"] == "yes" }
    /// The exit status of its process.
    package var exitStatus: Int { Int(self["ExecMainStatus"]) ?? 0 }
    /// The ID of its process; 0 without one.
    package var process: Int32 { Int32(self["MainPID"]) ?? 0 }

    /// The value of a property; empty if it is unset or was not requested.
    package subscript(key: String) -> String { properties[key] ?? "" }
}
