/// What a service manager knows of a unit (systemctl(1), `show`).
package struct ManagedUnit: Hashable, Sendable {
    static let keys = [
        "Id", "LoadState", "ActiveState", "UnitFileState", "Result", "NeedDaemonReload", "ExecMainStatus", "MainPID",
    ]

    private let properties: [String: String]

    /// Creates a unit.
    ///
    /// - Parameter properties: Its properties by name.
    package init(_ properties: [String: String]) {
        self.properties = properties
    }

    /// Reads what `systemctl show` prints: a block of lines for each unit.
    package static func all(in output: String) -> [ManagedUnit] {
        var units: [[String: String]] = [[:]]
        for line in output.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty { units.append([:]) }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2 { units[units.count - 1][parts[0]] = parts[1] }
        }
        return units.filter { !$0.isEmpty }.map(ManagedUnit.init)
    }

    /// Its name.
    package var name: String { self["Id"] }
    /// Whether its file is there and could be read, or it is masked.
    package var isKnown: Bool { isMasked || isLoaded }
    /// Whether its file is there and could be read, so that it is not masked.
    package var isLoaded: Bool { self["LoadState"] == "loaded" }
    /// Whether it is linked to `/dev/null`, so that nothing can start it.
    package var isMasked: Bool { self["LoadState"] == "masked" }
    /// Whether that ends with the next start of the machine.
    package var isMaskedAtRuntime: Bool { self["UnitFileState"] == "masked-runtime" }
    /// Whether something has made it fail, which is remembered until the next start.
    package var isFailed: Bool { activity == "failed" }
    /// Whether it is started with the machine or the session.
    package var isEnabled: Bool { self["UnitFileState"].hasPrefix("enabled") }
    /// Whether it runs.
    package var isActive: Bool { activity == "active" }
    /// Whether it does not run, and is not about to.
    package var isStopped: Bool { ["inactive", "failed", "deactivating"].contains(activity) }
    /// Its state, such as `active`.
    package var activity: String { self["ActiveState"] }
    /// Why it has failed, such as `start-limit-hit`; `success` if it has not.
    package var result: String { self["Result"] }
    /// Whether it was started too often, so that it is not started again for a while.
    package var isAtLimit: Bool { result.hasSuffix("limit-hit") }
    /// Whether its files are newer than what the manager has read.
    package var isOutdated: Bool { self["NeedDaemonReload"] == "yes" }
    /// The status with which its process has ended.
    package var exitStatus: Int { Int(self["ExecMainStatus"]) ?? 0 }
    /// Its process; 0 if there is none.
    package var process: Int32 { Int32(self["MainPID"]) ?? 0 }

    /// The value of a property; empty if it has none, or was not asked for.
    package subscript(key: String) -> String { properties[key] ?? "" }
}
