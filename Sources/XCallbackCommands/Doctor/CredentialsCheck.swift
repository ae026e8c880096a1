import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackLinux

/// Checks whether the daemon's unit has the credentials that policies name.
///
/// The faults and warnings come from the configuration; this check adds the commands.
enum CredentialsCheck: DoctorCheck {
    static let name = "credentials"

    static func findings(in examination: Examination) -> [Finding] {
        guard let scope = examination.scope else { return [] }
        let found = examination.checked.findings
        let faults = (found.error?.faults ?? []) + found.warnings.warnings
        return faults.compactMap { finding($0, scope, examination) }
    }

    /// Whether this check reports a fault, so that no other check needs to.
    static func knows(_ fault: Fault, in examination: Examination) -> Bool {
        examination.scope.map { finding(fault, $0, examination) != nil } ?? false
    }

    private static func finding(_ fault: Fault, _ scope: ManagerScope, _ examination: Examination) -> Finding? {
        guard case .credential(let credential, let lack)? = fault.subject,
            credential.hasOnlyAlphanumerics(and: "._-")
        else { return nil }
        let service = ManagerScope.serviceUnit
        switch lack {
        case .notLoaded:
            return loading(credential, scope, from: "\(examination.places.directories[0].realPath)/\(credential)")
        case .noFile(let path):
            return Finding(
                .fault, of: credential, "\(service) loads the credential '\(credential)' from a missing file",
                mend: Finding.Mend("install -D -m 600 /dev/stdin \(path.shellWord)", in: scope),
                advice: "type the secret, then Ctrl-D twice")
        case .notRestarted:
            return Finding(
                .note, of: credential, "the running service does not have the credential '\(credential)' yet",
                mend: Finding.Mend("\(scope.systemctl) restart \(service)", in: scope))
        }
    }

    /// Returns a finding with the drop-in that makes the unit load a credential.
    private static func loading(_ credential: String, _ scope: ManagerScope, from secret: String) -> Finding? {
        guard secret.hasOnlyAlphanumerics(and: "/._-") else { return nil }
        let service = ManagerScope.serviceUnit
        let drop = "\(scope == .system ? "/etc/systemd/system" : "~/.config/systemd/user")/\(service).d"
        let command =
            "mkdir -p \(drop) && printf '[Service]\\nLoadCredential=\(credential):\(secret)\\n' "
            + ">\(drop)/credential-\(credential).conf && \(scope.systemctl) daemon-reload "
            + "&& \(scope.systemctl) restart \(service)"
        return Finding(
            .fault, of: credential, "\(service) does not load the credential '\(credential)'",
            mend: Finding.Mend(command, in: scope),
            advice: "the secret must be in \(secret), readable only for \(scope == .system ? "root" : "you")")
    }
}
