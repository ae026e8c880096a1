import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackLinux

/// Whether the unit of the daemon has the credentials that policies name.
///
/// What is wrong is a fault or a warning of the configuration; this check knows the commands.
enum CredentialsCheck: DoctorCheck {
    static let name = "credentials"

    static func findings(in examination: Examination) -> [Finding] {
        guard let scope = examination.scope else { return [] }
        let found = examination.checked.findings
        let faults = (found.error?.faults ?? []) + found.warnings.warnings
        return faults.compactMap { finding($0, scope, examination) }
    }

    /// Whether this check has a finding for a fault, so that no other needs one.
    static func knows(_ fault: Fault, in examination: Examination) -> Bool {
        examination.scope.map { finding(fault, $0, examination) != nil } ?? false
    }

    private static func finding(_ fault: Fault, _ scope: ManagerScope, _ examination: Examination) -> Finding? {
        let service = ManagerScope.serviceUnit
        let quoted = fault.message.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        guard fault.message.contains("the credential"), quoted.count > 1 else { return nil }
        let credential = quoted[1]
        guard credential.hasOnlyAlphanumerics(and: "._-") else { return nil }
        if fault.message.hasPrefix("\(service) does not load the credential") {
            let folder = examination.places.directories[0]
            let drop = scope == .system ? "/etc/systemd/system" : "~/.config/systemd/user"
            let secret = "\(folder)/\(credential)"
            guard secret.hasOnlyAlphanumerics(and: "/._-") else { return nil }
            let command =
                "mkdir -p \(drop)/\(service).d && printf '[Service]\\nLoadCredential=\(credential):\(secret)\\n' "
                + ">\(drop)/\(service).d/credential-\(credential).conf && \(scope.systemctl) daemon-reload "
                + "&& \(scope.systemctl) restart \(service)"
            return Finding(
                .fault, of: credential, "\(service) does not load the credential '\(credential)'",
                mend: Finding.Mend(command, in: scope), advice: "the secret must be in \(secret), for root alone")
        }
        if fault.message.hasPrefix("\(service) loads the credential"), quoted.count > 3 {
            return Finding(
                .fault, of: credential, "\(service) loads the credential '\(credential)' from a file that is not there",
                mend: Finding.Mend("install -D -m 600 /dev/stdin \(quoted[3].shellWord)", in: scope),
                advice: "type the secret, then Ctrl-D twice")
        }
        if fault.message.hasPrefix("the running service does not have the credential") {
            return Finding(
                .note, of: credential, "the running service does not have the credential '\(credential)' yet",
                mend: Finding.Mend("\(scope.systemctl) restart \(service)", in: scope))
        }
        return nil
    }
}
