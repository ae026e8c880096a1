import Glibc
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackWire

// The desktop: its tools, the entry of the command, and the application of each scheme.
extension Examination {
    /// The findings of the desktop, or why there are none.
    var desktopFindings: [Finding] {
        if let desktopAbsence {
            return [Finding(.skipped, of: "desktop", "the desktop was not checked: \(desktopAbsence)")]
        }
        do throws(Failure) {
            let folders = try DesktopFolders()
            let entry = try folders.readEntry()
            return Self.toolFindings + questionFindings + entryFindings(entry, folders)
                + launcherFindings + owners.compactMap { finding($0, entry, folders) }
        } catch {
            return Self.toolFindings + questionFindings + [Finding(of: DesktopEntry.name, error)]
        }
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
        let found = tools.map(\.0).filter { ToolRun.isInstalled($0) }
        let missing = tools.filter { !found.contains($0.0) }.map { name, package, loss in
            Finding(.note, of: package, "\(name) is not installed: \(loss)", installing: package)
        }
        return (found.isEmpty ? [] : [Finding(.good, of: "tools", found.joined(separator: ", "))]) + missing
            + menuFindings + sessionFindings
    }

    /// Whether 'pick' has a menu that needs no terminal.
    private static var menuFindings: [Finding] {
        let menu = Menu.ofDesktop.first.map { Finding(.good, of: "menu", "'xcallback pick' shows \($0.name)") }
        let problem = Menu.lack.message.prefix { $0 != "\n" }
        return [menu ?? Finding(.note, of: "menu", "for 'pick', \(problem)", installing: Menu.dialogs[0])]
    }

    /// Whether the questions of the routes can be asked.
    private var questionFindings: [Finding] {
        if !QuestionTool.dialogs.isEmpty { return [] }
        let asking = configuration?.pipeline.routes.filter(\.asksInDialog) ?? []
        let canNotify = asking.isEmpty || (try? QuestionTool.findNotification()) != nil
        let failing = asking.filter { !canNotify || $0.reach.contains(Origin.agent.bit) }.map(\.name)
        let rest = failing.count > 5 ? " and \(failing.count - 5) more" : ""
        let loss =
            failing.isEmpty
            ? "questions are notifications, or impossible"
            : "nobody can answer the question of \(failing.prefix(5).joined(separator: ", "))\(rest)"
                + (canNotify ? " for an assistant" : "") + " (503)"
        let text = "\(QuestionTool.lack): \(loss)"
        return [Finding(failing.isEmpty ? .note : .fault, of: "zenity", text, installing: "zenity")]
    }

    /// Whether xdg-open finds the desktop of the session.
    private static var sessionFindings: [Finding] {
        let missing: String
        switch DesktopSession.current {
        case .lacksVersion: missing = "this is a KDE session, but $KDE_SESSION_VERSION is not set"
        case .noDesktop: missing = "this session has neither a desktop ($XDG_CURRENT_DESKTOP) nor a display ($DISPLAY)"
        case .missing, .asksXdgMime, .asksGio, .asksKDE: return []
        }
        return [Finding(.note, of: "xdg-open", "xdg-open starts nothing: \(missing)")]
    }

    /// Whether the desktop entry of the command exists and works, and lists no scheme too many.
    private func entryFindings(_ entry: DesktopEntry?, _ folders: DesktopFolders) -> [Finding] {
        guard let entry else {
            if let shared = folders.sharedEntries.first(where: { access($0.path, R_OK) == 0 }) {
                return [Finding(.good, of: shared.path, "the desktop starts the program of \(shared.path)")]
            }
            // Without a route it would fail.
            let fix = schemes?.isEmpty == false ? Finding.Fix("xcallback register --all\(configOption)") : nil
            return [Finding(.note, of: folders.entry.path, "no schemes are registered for you", fix: fix)]
        }
        let lost = entry.schemes.filter { schemes?.contains($0) == false }
        let unrouted = lost.isEmpty ? [] : [unrouted(lost)]
        if ToolRun.isExecutable(entry.program) {
            return [Finding(.good, of: folders.entry.path, "the desktop starts \(entry.program)")] + unrouted
        }
        // Schemes without a route stay in the entry, and 'register' may reject them.
        let kept = entry.schemes.filter { schemes?.contains($0) ?? true }.joined(separator: " ")
        let command = kept.isEmpty ? "unregister" : "register \(kept)\(configOption)"
        let text = "links start \(entry.program), which does not exist"
        return [Finding(.fault, of: folders.entry.path, text, fix: .init("xcallback \(command)"))] + unrouted
    }

    /// Whether launchers show the actions that the daemon serves.
    private var launcherFindings: [Finding] {
        guard scope == .user, configOption.isEmpty, let configuration, let routes,
            let entries = try? MenuEntries(of: configuration, served: Set(routes.map(\.name)))
        else { return [] }
        let (written, removed) = entries.changes
        if written.isEmpty, removed.isEmpty { return [] }
        let text = "entries of actions: \(written.count) missing or old, \(removed.count) without an action"
        return [Finding(.note, of: entries.folder, text, fix: .init("xcallback reload"))]
    }

    /// Registered schemes that no route has.
    private func unrouted(_ lost: [String]) -> Finding {
        let hint = lost.count == 1 ? lost[0].suggestion(among: schemes ?? []) : ""
        let text =
            lost.count == 1
            ? "scheme \(lost[0]) is registered, but no route has it\(hint)"
            : "\(lost.count) schemes are registered, but no route has them: \(lost.joined(separator: ", "))"
        return Finding(.note, of: lost[0], text, fix: .init("xcallback unregister \(lost.joined(separator: " "))"))
    }

    /// Which application owns a scheme of the routes; nil if another finding says so, or if it does not matter.
    private func finding(_ owner: SchemeOwner, _ entry: DesktopEntry?, _ folders: DesktopFolders) -> Finding? {
        let scheme = owner.scheme
        let isRegistered = entry?.schemes.contains(scheme) ?? false
        // The tools do not see an entry whose program is missing.
        if let entry, !ToolRun.isExecutable(entry.program) { return nil }
        if owner.isOurs { return Finding(.good, of: scheme, "scheme \(scheme): xcallback has it") }
        if let other = owner.otherEntry {
            let list = folders.list(deciding: scheme).map { "; \($0) says so" } ?? ""
            return Finding(
                isRegistered ? .fault : .note, of: scheme,
                "scheme \(scheme) has routes, but \(folders.title(of: other)) opens it\(list)",
                fix: .init("xcallback register \(scheme) --default\(configOption)"))
        }
        if owner.xdg == .unknown, owner.gio == .unknown {
            let text = "the application of the scheme \(scheme) was not checked: neither xdg-mime nor gio answers"
            return Finding(.skipped, of: scheme, text)
        }
        if isRegistered {
            let text = "scheme \(scheme) is registered, but the desktop's tools do not see it"
            return Finding(
                .fault, of: scheme, text, fix: .init("update-desktop-database \(folders.applications.shellWord)"))
        }
        if scheme == CallbackRules.answerScheme {
            // Otherwise no route needs the answers of applications.
            guard configuration?.redirectsToApplications == true else { return nil }
            return Finding(
                .note, of: scheme,
                "answers of other applications (\(scheme):) do not reach you: their scheme is not registered",
                fix: .init("xcallback register \(scheme)"))
        }
        // Without any entry, one finding stands for all schemes.
        let hasEntry = ([folders.entry] + folders.sharedEntries).contains { access($0.path, F_OK) == 0 }
        return hasEntry
            ? Finding(
                .note, of: scheme, "links with \(scheme): do not reach your routes: the scheme is not registered",
                fix: .init("xcallback register \(scheme)\(configOption)")) : nil
    }
}

extension Finding {
    /// Creates a finding that a Debian package fixes, or its equivalent.
    fileprivate init(_ state: State, of subject: String, _ text: String, installing package: String) {
        let command = installCommand(package)
        self.init(
            state, of: subject, text, fix: command.map { Fix($0, needsRoot: geteuid() != 0) },
            advice: command == nil ? installAdvice(package) : nil)
    }
}
