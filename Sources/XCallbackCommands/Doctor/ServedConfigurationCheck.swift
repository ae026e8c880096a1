import XCallback
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackJSON
import XCallbackLinux
import XCallbackPipeline

/// Whether the configuration is valid, and the one that the daemon serves.
enum ServedConfigurationCheck: DoctorCheck {
    static let name = "configuration"
    /// How many faults are shown one by one.
    private static let shownCount = 5

    static func findings(in examination: Examination) -> [Finding] {
        let path = examination.places.candidates[0]
        let checked = examination.checked
        if let error = checked.findings.error {
            if examination.places.isEmpty { return [absence(examination, path)] }
            if isHidden(error, examination) {
                return [
                    Finding(
                        .skipped, of: path, "the configuration was not looked at: you may not read all of its files")
                ]
            }
            return faults(error.faults, examination, path)
        }
        return [Finding(.good, of: path, "configuration \(checked.findings.summary)")]
            + notes(examination, path) + served(examination, path)
    }

    private static func faults(_ faults: [Fault], _ examination: Examination, _ path: String) -> [Finding] {
        let isServed =
            if case .success(let status) = examination.status { status.service.routeCount > 0 } else { false }
        let result = isServed ? "; the daemon serves an older one" : ""
        let others = faults.filter { !CredentialsCheck.knows($0, in: examination) }
        let shown = others.prefix(shownCount).map { fault in
            Finding(.fault, of: "\(fault.place)", "\(fault.place): \(fault.message)")
        }
        let count = faults.count == 1 ? "a fault" : "\(faults.count) faults"
        // A daemon that serves nothing reads the files again for the next client.
        let reload = isServed ? ", then run '\(examination.reload.command)'" : ""
        return [
            Finding(
                .fault, of: path, "the configuration has \(count)\(result)",
                advice: "'xcallback check\(examination.configOption)' shows them: mend the files\(reload)")
        ] + shown
    }

    private static func absence(_ examination: Examination, _ path: String) -> Finding {
        let places = examination.places
        let isCertain = examination.scope == nil && places.candidates.count == 1
        let copying = isCertain ? nil : places.copyCommand
        let advice = copying == nil ? places.advice : "that copies the sample; change what it has"
        return Finding(
            isCertain ? .fault : .note, of: path,
            "there is no configuration at \(places.candidates.alternatives)",
            mend: copying.map { Finding.Mend(command: $0, needsRoot: examination.scope?.needsRoot ?? false) },
            advice: isCertain ? nil : "\(advice), or name the daemon's with '--config FILE'")
    }

    private static func notes(_ examination: Examination, _ path: String) -> [Finding] {
        let checked = examination.checked
        let warnings = checked.findings.warnings.warnings.filter { !CredentialsCheck.knows($0, in: examination) }
        let refusal = checked.refusal.map {
            Finding(.skipped, of: path, "the daemon could not be asked about the configuration: \($0)")
        }
        return warnings.prefix(shownCount).map { warning in
            Finding(.note, of: "\(warning.place)", "\(warning.place): \(warning.message)")
        }
            + checked.findings.leftUnchecked.warnings.prefix(shownCount).map { fault in
                Finding(.skipped, of: "\(fault.place)", "\(fault.place): \(fault.message)")
            } + (refusal.map { [$0] } ?? [])
    }

    /// Whether the daemon serves what the files say.
    private static func served(_ examination: Examination, _ path: String) -> [Finding] {
        guard case .success(let status) = examination.status, let configuration = examination.configuration else {
            return []
        }
        if status.service.faultCount > 0 {
            return [
                Finding(
                    .fault, of: path,
                    "the daemon has read a configuration with faults, which the files do not have now",
                    mend: examination.reload)
            ]
        }
        guard let routes = examination.routes, routes.allSatisfy({ $0.place != nil }),
            let files = try? [Client.Route](reading: configuration.routesJSON)
        else { return [] }
        func own(_ routes: [Client.Route]) -> Set<Client.Route> {
            Set(routes.filter { $0.scheme != CallbackRules.answerScheme })
        }
        if own(routes) == own(files) { return [] }
        return [
            Finding(
                .note, of: path, "the daemon does not serve what the files say now: they were not loaded",
                mend: examination.reload)
        ]
    }

    /// Whether the caller only cannot read what the daemon of the machine reads.
    private static func isHidden(_ error: ConfigurationError, _ examination: Examination) -> Bool {
        examination.scope?.needsRoot == true && error.faults.contains { $0.subject == .hiddenFile }
    }
}
