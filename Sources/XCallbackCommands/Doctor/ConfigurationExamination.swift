import Glibc
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackWire

// The configuration, and what its routes need: programs, a display, and the socket of assistants.
extension Examination {
    /// The number of faults and of warnings shown in detail.
    private static let shownCount = 5

    /// Whether the configuration is valid, and the one that the daemon serves.
    var configurationFindings: [Finding] {
        let file = places.candidates[0]
        guard let error = checked.findings.error else {
            let valid = Finding(.good, of: file, "configuration \(checked.findings.summary)")
            return rejection + [valid] + warnings(file) + difference(file)
        }
        if places.isEmpty { return [absence] }
        if scope?.needsRoot == true, error.faults.contains(where: { $0.unread == .forbidden }) {
            let text = "the configuration was not checked: you cannot read all of its files"
            return rejection + [Finding(.skipped, of: file, text)]
        }
        return (isConfigurationOfDaemon ? [] : rejection) + [fault(error, file)]
    }

    /// All faults of the files, in one finding.
    private func fault(_ error: ConfigurationError, _ file: String) -> Finding {
        let isServed = (daemon?.routeCount ?? 0) > 0 && isConfigurationOfDaemon
        let command = "run\(reload.needsRoot ? " as root" : "") '\(reload.command)'"
        // A daemon without routes reads the files again for the next client.
        let refused = refusedPrograms.map { "; \($0)" } ?? ""
        let next = isServed ? ["\(servedState); after the fix, \(command)\(refused)"] : []
        let closed = error.closedPaths
        if !closed.isEmpty, scope == .system, geteuid() == 0 {
            let opening = "chmod a+rX \(closed.map(\.shellWord).joined(separator: " "))"
            return Finding(
                .fault, of: closed[0],
                "the users of the daemon and of its programs may not read \(closed.joined(separator: ", "))",
                fix: .init(isServed ? "\(opening) && \(reload.command)" : opening),
                advice: isServed ? "\(servedState)\(refused)" : nil)
        }
        if error.count == 1 { return Finding(.fault, error.faults[0], advice: next.first) }
        let shown = error.faults.prefix(Self.shownCount).map { "\($0.place): \($0.message)" }
        let rest = error.count - shown.count
        let lines = shown + (rest > 0 ? ["and \(rest) more: \(showing)"] : []) + next
        return Finding(
            .fault, of: file, "the configuration has \(error.count) faults", advice: lines.joined(separator: "\n"))
    }

    /// The command that shows all findings.
    private var showing: String { "'xcallback check\(configOption)' shows them" }

    /// A daemon that has rejected the configuration that it has read last.
    private var rejection: [Finding] {
        guard let daemon, daemon.faultCount > 0 else { return [] }
        let isFixed = isConfigurationOfDaemon && checked.findings.error == nil
        let text = isFixed ? "; the files are right now" : ": the configuration that it read has faults"
        return [Finding(.fault, of: daemon.socket, servedState + text, fix: reload, advice: refusedPrograms)]
    }

    /// What the daemon serves while its configuration has faults.
    private var servedState: String { daemon?.unserved ?? "the daemon serves an older configuration" }

    private var absence: Finding {
        let text = "there is no configuration at \(places.candidates.alternatives)"
        if places.isNamed { return Finding(.fault, of: places.candidates[0], text) }
        let isOfUser = places.commandAdvice != nil
        return Finding(
            .note, of: places.candidates[0], text, fix: isOfUser ? .init("xcallback setup notes") : nil,
            advice: isOfUser ? "'xcallback init' writes an action of your own" : places.advice)
    }

    /// Likely mistakes; a route that cannot work, such as one whose program is missing, is a fault.
    private func warnings(_ file: String) -> [Finding] {
        let (warned, unchecked) = (checked.findings.warnings, checked.findings.leftUnchecked)
        let breaking = warned.warnings.filter(\.breaksRoute), others = warned.warnings.filter { !$0.breaksRoute }
        var findings = breaking.prefix(Self.shownCount).map { Finding(.fault, $0) }
        findings += others.prefix(Self.shownCount).map { Finding(.note, $0) }
        findings += unchecked.warnings.prefix(Self.shownCount).map { Finding(.skipped, $0) }
        let rest = warned.count + unchecked.count - findings.count
        if rest > 0 { findings.append(Finding(.note, of: file, "and \(rest) more: \(showing)")) }
        if let refusal = checked.refusal {
            findings.append(
                Finding(.skipped, of: file, "cannot ask the daemon about the configuration: \(refusal)"))
        }
        return findings
    }

    /// Whether the files have changed since the daemon has loaded them.
    private func difference(_ file: String) -> [Finding] {
        guard let daemon, daemon.isOutdated, daemon.faultCount == 0, isConfigurationOfDaemon else { return [] }
        let text = "the daemon serves an older configuration: the current files were not loaded"
        return [Finding(.note, of: file, text, fix: reload, advice: refusedPrograms)]
    }

    /// What the program server of the system's daemon does until a reload; nil for other daemons.
    private var refusedPrograms: String? {
        scope == .system ? "until then, programs of changed routes are refused (503)" : nil
    }

    /// Whether the programs of a user's daemon can show windows.
    var displayFindings: [Finding] {
        guard scope != .system, ManagerDisplay.isMissing else { return [] }
        return [
            Finding(
                .fault, of: "display",
                "your service manager has no display: programs and questions of the daemon cannot show windows",
                fix: .init(ManagerDisplay.command), advice: "and \(ManagerDisplay.advice)")
        ]
    }

    /// What the helpers of the user's examples find, and the folders that have changed.
    var recipeFindings: [Finding] {
        guard scope != .system, let record = try? SetupRecord(in: UserFolders()) else { return [] }
        return record.entries.flatMap { [$0.helperFinding, $0.changeFinding].compactMap(\.self) }
    }

    /// What assistants reach, and whether their socket is open.
    var assistantFindings: [Finding] {
        let names = (routes ?? configuration?.routes ?? []).compactMap(\.agentName).sorted()
        guard !names.isEmpty else { return [] }
        let list = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and \(names.count - 10) more" : "")
        let place = "\(socket.parent)/agent/socket"
        let way = access(place, F_OK) == 0 ? ", in a sandbox through \(place)" : ""
        let count = names.count == 1 ? "1 action" : "\(names.count) actions"
        // Clients with a window often search fewer folders than a shell.
        let command = JSONValue.string(ownPath ?? "xcallback")
        let start = "their clients start { \"command\": \(command), \"args\": [\"mcp\"] }"
        return [Finding(.good, of: "agent", "assistants reach \(count)\(way): \(list); \(start)")]
    }
}

extension ConfigurationError {
    /// The files that could not be opened, and their folders, as far as others may not read them.
    fileprivate var closedPaths: [String] {
        let files = faults.filter { $0.message.hasPrefix("cannot be opened: permission denied") }.map(\.place.file)
        return Set(files.flatMap { [$0.parent, $0] }).sorted().filter { path in
            var status = stat()
            guard stat(path, &status) == 0 else { return false }
            let needed: mode_t = status.st_mode & S_IFMT == S_IFDIR ? 0o005 : 0o004
            return status.st_mode & needed != needed
        }
    }
}
