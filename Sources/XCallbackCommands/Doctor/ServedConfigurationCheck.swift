import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackPipeline
import XCallbackWire

/// Checks whether the configuration is valid, and the one that the daemon serves.
enum ServedConfigurationCheck: DoctorCheck {
    static let name = "configuration"
    /// The number of faults shown in detail.
    private static let shownCount = 5

    static func findings(in examination: Examination) -> [Finding] {
        let path = examination.places.candidates[0]
        return rejection(examination) + files(examination, path)
    }

    /// Returns the faults of the configuration that the daemon has read last.
    private static func rejection(_ examination: Examination) -> [Finding] {
        guard let daemon = examination.daemon, daemon.faultCount > 0 else { return [] }
        let text =
            "the daemon serves \(daemon.routeCount > 0 ? "an older configuration" : "nothing"): "
            + "the configuration that it read last has \(count(daemon.faultCount))"
        let reload = examination.reload
        if examination.isConfigurationOfDaemon, examination.checked.findings.error == nil {
            return [
                Finding(
                    .fault, of: daemon.socket, text, mend: reload,
                    advice: "the current files do not have \(them(daemon))")
            ]
        }
        return [
            Finding(
                .fault, of: daemon.socket, text,
                advice: "'xcallback reload --socket \(examination.socket.shellWord)' reloads it, and shows "
                    + "\(them(daemon))\(reload.needsRoot ? ", to root" : "")")
        ]
    }

    private static func them(_ daemon: Client.Status.Service) -> String { daemon.faultCount == 1 ? "it" : "them" }

    private static func count(_ faults: Int) -> String { faults == 1 ? "a fault" : "\(faults) faults" }

    /// Returns the faults of the files.
    private static func files(_ examination: Examination, _ path: String) -> [Finding] {
        let checked = examination.checked
        guard let error = checked.findings.error else {
            return [Finding(.good, of: path, "configuration \(checked.findings.summary)")]
                + notes(examination, path) + difference(examination, path)
        }
        if examination.places.isEmpty { return [absence(examination, path)] }
        if isHidden(error, examination) {
            return [
                Finding(.skipped, of: path, "the configuration was not checked: you cannot read all of its files")
            ]
        }
        return faults(error, examination, path)
    }

    private static func faults(_ error: ConfigurationError, _ examination: Examination, _ path: String) -> [Finding] {
        let isServed = (examination.daemon?.routeCount ?? 0) > 0 && examination.isConfigurationOfDaemon
        let result = isServed ? "; the daemon serves an older one" : ""
        let shown = error.faults.prefix(shownCount).map { fault in
            Finding(.fault, of: "\(fault.place)", "\(fault.place): \(fault.message)")
        }
        // A daemon without routes reads the files again for the next client.
        let reload = examination.reload
        let next = isServed ? ", then run\(reload.needsRoot ? " as root" : "") '\(reload.command)'" : ""
        return [
            Finding(
                .fault, of: path, "the configuration has \(count(error.count))\(result)",
                advice: "\(showing(examination)): fix the files\(next)")
        ] + shown + rest(.fault, error.count - shown.count, examination, path)
    }

    /// Returns a finding with the number of faults not shown.
    private static func rest(
        _ state: Finding.State, _ count: Int, _ examination: Examination, _ path: String
    ) -> [Finding] {
        count > 0 ? [Finding(state, of: path, "and \(count) more: \(showing(examination))")] : []
    }

    /// Returns the command that shows all findings.
    private static func showing(_ examination: Examination) -> String {
        "'xcallback check\(examination.configOption)' shows them"
    }

    private static func absence(_ examination: Examination, _ path: String) -> Finding {
        let places = examination.places
        let isCertain = examination.scope == nil && places.candidates.count == 1
        let copying = isCertain ? nil : places.copyCommand
        let advice =
            copying == nil
            ? places.advice
            : ["this copies the sample; edit it", places.commandAdvice].compactMap(\.self).joined(
                separator: ", or ")
        return Finding(
            isCertain ? .fault : .note, of: path,
            "there is no configuration at \(places.candidates.alternatives)",
            mend: copying.map { Finding.Mend(command: $0, needsRoot: examination.scope?.needsRoot ?? false) },
            advice: isCertain ? nil : "\(advice), or give the daemon's configuration with '--config FILE'")
    }

    private static func notes(_ examination: Examination, _ path: String) -> [Finding] {
        let checked = examination.checked
        let (warned, unchecked) = (checked.findings.warnings, checked.findings.leftUnchecked)
        var findings = warned.warnings.prefix(shownCount).map { warning in
            Finding(.note, of: "\(warning.place)", "\(warning.place): \(warning.message)")
        }
        findings += unchecked.warnings.prefix(shownCount).map { fault in
            Finding(.skipped, of: "\(fault.place)", "\(fault.place): \(fault.message)")
        }
        findings += rest(.note, warned.count + unchecked.count - findings.count, examination, path)
        if let refusal = checked.refusal {
            findings.append(
                Finding(
                    .skipped, of: path, "cannot ask the daemon about the configuration: \(refusal)"))
        }
        return findings
    }

    /// Returns findings for differences between the files and the daemon.
    private static func difference(_ examination: Examination, _ path: String) -> [Finding] {
        // A daemon of another version may report less about its routes; another check advises a restart.
        guard let daemon = examination.daemon, daemon.faultCount == 0, daemon.version == Version.text,
            examination.isConfigurationOfDaemon,
            let configuration = examination.configuration, let routes = examination.routes,
            let files = try? [Client.Route](reading: configuration.routesJSON)
        else { return [] }
        if ServedRoute.all(routes) == ServedRoute.all(files) { return [] }
        return [
            Finding(
                .note, of: path, "the daemon serves an older configuration: the current files were not loaded",
                mend: examination.reload)
        ]
    }

    /// Whether the only error is that the caller cannot read the configuration of the machine's daemon.
    private static func isHidden(_ error: ConfigurationError, _ examination: Examination) -> Bool {
        examination.scope?.needsRoot == true && error.faults.contains(where: \.isHiddenFile)
    }
}

/// The effect of a route, regardless of its file.
private struct ServedRoute: Hashable {
    let name: String
    let isPublic: Bool
    let stages: [[String]]
    let texts: [String?]
    let parameters: [Client.Route.Parameter]
    let isStrict: Bool
    let returns: [Client.Route.Parameter]?
    let effect: Client.Route.Effect?

    /// Returns the routes of a configuration, without those of the daemon itself.
    static func all(_ routes: [Client.Route]) -> Set<ServedRoute> {
        Set(
            routes.filter { $0.scheme != CallbackRules.answerScheme }.map { route in
                ServedRoute(
                    name: route.name, isPublic: route.isPublic,
                    stages: [route.middleware, route.policies, [route.handler]],
                    texts: [route.target, route.title, route.description, route.agentName],
                    parameters: route.parameters,
                    isStrict: route.isStrict, returns: route.returns, effect: route.effect)
            })
    }
}
