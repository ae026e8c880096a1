import XCallbackBuiltIns
import XCallbackClient
import XCallbackLinux
import XCallbackPipeline

/// Checks which application owns each scheme of the routes.
enum SchemeCheck: DoctorCheck {
    static let name = "schemes"

    static func findings(in examination: Examination) -> [Finding] {
        let registered = (try? DesktopFolders().readEntry())?.schemes ?? []
        return examination.owners.compactMap { owner in
            let isRegistered = registered.contains(owner.scheme)
            if owner.isOfAnswers, owner.isNobodys, !isRegistered {
                return answersFinding(owner, examination)
            }
            return finding(owner, isRegistered: isRegistered, examination.configOption)
        }
    }

    /// Returns a finding if answers of applications do not arrive; nil if no route needs them.
    private static func answersFinding(_ owner: SchemeOwner, _ examination: Examination) -> Finding? {
        guard examination.configuration?.redirectsToApplications ?? false else { return nil }
        return Finding(
            .note, of: owner.scheme,
            "scheme \(owner.scheme) is not registered: no answer of an application to 'xcallback call' arrives",
            mend: Finding.Mend(command: "xcallback register \(owner.scheme)"))
    }

    private static func finding(_ owner: SchemeOwner, isRegistered: Bool, _ configOption: String) -> Finding {
        let scheme = owner.scheme
        if owner.isOurs {
            let path = ApplicationFile(DesktopEntry.name)?.path ?? DesktopEntry.name
            return Finding(.good, of: scheme, "scheme \(scheme): xcallback has it (\(path))")
        }
        if let other = OwnerReport.otherOwner(owner) {
            return Finding(
                .note, of: scheme,
                "scheme \(scheme) has routes, but \(ApplicationFile.description(of: other)) opens it",
                mend: Finding.Mend(command: "xcallback register \(scheme) --default\(configOption)"))
        }
        if owner.xdg == .unknown, owner.gio == .unknown {
            return Finding(
                .skipped, of: scheme,
                "the application of the scheme \(scheme) was not checked: neither xdg-mime nor gio answers")
        }
        guard isRegistered else {
            return Finding(
                .note, of: scheme, "scheme \(scheme) has routes, but is not registered",
                mend: Finding.Mend(command: "xcallback register \(scheme)\(configOption)"))
        }
        return Finding(
            .fault, of: scheme, "scheme \(scheme) is registered, but the desktop's tools do not see it",
            mend: (try? DesktopFolders()).map {
                Finding.Mend(command: "update-desktop-database \($0.applications.shellWord)")
            })
    }
}

extension SchemeOwner {
    /// Whether this is the scheme of applications' answers.
    fileprivate var isOfAnswers: Bool { scheme == CallbackRules.answerScheme }
}
