import Glibc
import XCallbackBuiltIns
import XCallbackBytes
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackPipeline

// The desktop: its tools, the entry of the command, the application of each scheme, and sandboxed browsers.
extension Examination {
    /// The findings of the desktop, or why there are none.
    var desktopFindings: [Finding] {
        if let desktopAbsence {
            return [Finding(.skipped, of: "desktop", "the desktop was not checked: \(desktopAbsence)")].named("desktop")
        }
        return Self.toolFindings.named("tools") + entryFindings.named("entry") + schemeFindings.named("schemes")
            + Self.browserFindings.named("browsers")
    }

    /// Whether the programs that open URLs and ask questions exist.
    private static var toolFindings: [Finding] {
        let tools = [
            ("xdg-open", "xdg-utils", "URLs cannot be opened"),
            ("xdg-mime", "xdg-utils", "cannot find the application of a scheme"),
            ("gio", "libglib2.0-bin", "cannot find what GTK programs open"),
            ("update-desktop-database", "desktop-file-utils", "GTK programs do not see registered schemes"),
            ("notify-send", "libnotify-bin", "you do not see why a link failed"),
        ]
        let missing = tools.filter { !ToolRun.isInstalled($0.0) }.map { name, package, loss in
            Finding(.note, of: name, "\(name) is not installed: \(loss)", installing: package)
        }
        let found = tools.map(\.0).filter { ToolRun.isInstalled($0) }
        let present = found.isEmpty ? [] : [Finding(.good, of: "tools", found.joined(separator: ", "))]
        let dialogs = ["zenity", "kdialog"].filter { ToolRun.isInstalled($0) }
        let loss = "questions are notifications, or impossible"
        let dialog =
            dialogs.isEmpty
            ? Finding(
                .note, of: "dialogs", "neither zenity nor kdialog is installed: \(loss)", installing: "zenity")
            : Finding(.good, of: "dialogs", dialogs.joined(separator: ", "))
        return present + missing + [dialog]
    }

    /// Whether the desktop entry of the command exists and works, and lists no scheme too many.
    private var entryFindings: [Finding] {
        do throws(Failure) {
            let folders = try DesktopFolders()
            if let entry = try folders.readEntry() { return ownEntry(entry, folders.entry.path) }
            if let shared = folders.sharedEntries.first(where: { access($0.path, R_OK) == 0 }) {
                return [Finding(.good, of: shared.path, "the desktop starts the program of \(shared.path)")]
            }
            return [
                Finding(
                    .note, of: folders.entry.path, "no schemes are registered for you",
                    fix: .init("xcallback register --all\(configOption)"))
            ]
        } catch {
            return [Finding(of: DesktopEntry.name, error)]
        }
    }

    private func ownEntry(_ entry: DesktopEntry, _ path: String) -> [Finding] {
        // Schemes without a route stay in the entry, and 'register' may reject them.
        let kept = entry.schemes.filter { schemes?.contains($0) ?? true }
        let words = kept.isEmpty ? "unregister" : "register \(kept.joined(separator: " "))\(configOption)"
        let finding =
            ToolRun.isExecutable(entry.program)
            ? Finding(.good, of: path, "the desktop starts \(entry.program)")
            : Finding(
                .fault, of: path, "links start \(entry.program), which does not exist",
                fix: .init("xcallback \(words)"))
        let unrouted = entry.schemes.filter { schemes?.contains($0) == false }.map { scheme in
            Finding(
                .note, of: scheme,
                "scheme \(scheme) is registered, but no route has it\(scheme.suggestion(among: schemes ?? []))",
                fix: .init("xcallback unregister \(scheme)"))
        }
        return [finding] + unrouted
    }

    /// Which application owns each scheme of the routes.
    private var schemeFindings: [Finding] {
        let folders = try? DesktopFolders()
        let entry = try? folders?.readEntry()
        // The tools do not see an entry whose program is missing.
        if let entry, !ToolRun.isExecutable(entry.program) { return [] }
        let registered = entry?.schemes ?? []
        // Without any entry, one finding stands for all schemes.
        let hasEntry = ([folders?.entry].compactMap(\.self) + (folders?.sharedEntries ?? [])).contains { file in
            access(file.path, F_OK) == 0
        }
        return owners.compactMap { owner in
            let isRegistered = registered.contains(owner.scheme)
            guard owner.scheme == CallbackRules.answerScheme, owner.hasNoHandler, !isRegistered else {
                return owner.hasNoHandler && !hasEntry ? nil : finding(owner, isRegistered: isRegistered)
            }
            // No route needs the answers of applications.
            guard configuration?.redirectsToApplications == true else { return nil }
            return Finding(
                .note, of: owner.scheme,
                "answers of other applications (\(owner.scheme):) do not reach you: their scheme is not registered",
                fix: .init("xcallback register \(owner.scheme)"))
        }
    }

    private func finding(_ owner: SchemeOwner, isRegistered: Bool) -> Finding {
        let scheme = owner.scheme
        if owner.isOurs { return Finding(.good, of: scheme, "scheme \(scheme): xcallback has it") }
        if let other = OwnerReport.otherOwner(owner) {
            let list = DesktopFolders.list(deciding: scheme).map { "; \($0) says so" } ?? ""
            return Finding(
                isRegistered ? .fault : .note, of: scheme,
                "scheme \(scheme) has routes, but \(DesktopFolders.title(of: other)) opens it\(list)",
                fix: .init("xcallback register \(scheme) --default\(configOption)"))
        }
        if owner.xdg == .unknown, owner.gio == .unknown {
            let text = "the application of the scheme \(scheme) was not checked: neither xdg-mime nor gio answers"
            return Finding(.skipped, of: scheme, text)
        }
        guard isRegistered else {
            return Finding(
                .note, of: scheme, "links with \(scheme): do not reach your routes: the scheme is not registered",
                fix: .init("xcallback register \(scheme)\(configOption)"))
        }
        let folder = try? DesktopFolders().applications
        return Finding(
            .fault, of: scheme, "scheme \(scheme) is registered, but the desktop's tools do not see it",
            fix: folder.map { .init("update-desktop-database \($0.shellWord)") })
    }

    /// Whether sandboxed browsers can pass URLs to the desktop: they use its portal.
    private static var browserFindings: [Finding] {
        let words = ["firefox", "chrom", "brave", "vivaldi", "opera", "edge", "librewolf", "epiphany"]
        let data = (try? DesktopFolders())?.data ?? []
        let folders = ["/var/lib/flatpak/exports/share/applications", "/var/lib/snapd/desktop/applications"]
        let own = data.first.map { ["\($0)/flatpak/exports/share/applications"] } ?? []
        let browsers = (folders + own).flatMap { FolderEntries(of: $0)?.names ?? [] }.filter { name in
            name.hasSuffix(".desktop") && words.contains { name.lowercased().contains(text: $0) }
        }
        guard !browsers.isEmpty else { return [] }
        let names = browsers.map { String($0.dropLast(".desktop".count)) }.joined(separator: ", ")
        let hasPortal = (data + ["/usr/share"]).contains {
            access("\($0)/dbus-1/services/org.freedesktop.portal.Desktop.service", F_OK) == 0
        }
        if hasPortal {
            return [Finding(.good, of: names, "confined browsers (\(names)) open URLs through the desktop's portal")]
        }
        return [
            Finding(
                .note, of: names,
                "confined browsers (\(names)) cannot open URLs of other applications: no portal is installed",
                installing: "xdg-desktop-portal xdg-desktop-portal-gtk")
        ]
    }
}

extension Finding {
    /// Creates a finding that a Debian package fixes, or its equivalent.
    fileprivate init(_ state: State, of subject: String, _ text: String, installing package: String) {
        let hasApt = access("/usr/bin/apt-get", X_OK) == 0
        self.init(
            state, of: subject, text,
            fix: hasApt ? Fix("apt-get install --yes \(package)", needsRoot: geteuid() != 0) : nil,
            advice: hasApt ? nil : "install the equivalent of Debian's \(package)")
    }
}
