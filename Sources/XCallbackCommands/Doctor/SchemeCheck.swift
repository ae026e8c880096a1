import XCallbackClient
import XCallbackLinux

/// Which application has each scheme of the routes.
enum SchemeCheck: DoctorCheck {
    static let name = "schemes"

    static func findings(in examination: Examination) -> [Finding] {
        let registered = (try? DesktopFolders().readEntry())?.schemes ?? []
        return examination.owners.map { owner in
            finding(owner, isRegistered: registered.contains(owner.scheme), examination.configOption)
        }
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
