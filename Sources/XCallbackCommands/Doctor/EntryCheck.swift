import XCallbackConfiguration
import XCallbackLinux
import XCallbackPipeline

/// Checks whether the desktop entry of the command exists and works, and lists no scheme too many.
enum EntryCheck: DoctorCheck {
    static let name = "entry"

    static func findings(in examination: Examination) -> [Finding] {
        do throws(Failure) {
            let folders = try DesktopFolders()
            let all = Finding.Mend(command: "xcallback register --all\(examination.configOption)")
            guard let entry = try folders.readEntry() else { return [try sharedFinding(folders, all)] }
            return [finding(entry, folders, examination)] + unrouted(entry, folders, examination)
        } catch {
            return [Finding(of: DesktopEntry.name, error)]
        }
    }

    private static func finding(
        _ entry: DesktopEntry, _ folders: DesktopFolders, _ examination: Examination
    ) -> Finding {
        let path = folders.entry.path
        // Schemes without a route stay in the entry, and 'register' may reject them.
        let schemes = entry.schemes.filter { examination.schemes?.contains($0) ?? true }
        let words =
            schemes.isEmpty ? "unregister" : "register \(schemes.joined(separator: " "))\(examination.configOption)"
        let mend = Finding.Mend(command: "xcallback \(words)")
        if entry.isOnBus { return busFinding(path, mend: mend) }
        return ToolRun.isExecutable(entry.program)
            ? Finding(.good, of: path, "the desktop starts \(entry.program)")
            : Finding(.fault, of: path, "the desktop would start \(entry.program), which does not exist", mend: mend)
    }

    /// Returns a finding for registered schemes without a route.
    private static func unrouted(
        _ entry: DesktopEntry, _ folders: DesktopFolders, _ examination: Examination
    ) -> [Finding] {
        guard let routed = examination.schemes else { return [] }
        return entry.schemes.filter { !routed.contains($0) }.map { scheme in
            Finding(
                .note, of: scheme,
                "scheme \(scheme) is registered, but no route has it\(scheme.suggestion(among: routed))",
                mend: Finding.Mend(command: "xcallback unregister \(scheme)"))
        }
    }

    /// Returns the finding for the entry of all users, which applies to users without one.
    private static func sharedFinding(_ folders: DesktopFolders, _ mend: Finding.Mend) throws(Failure) -> Finding {
        for entry in folders.sharedEntries {
            guard let text = try entry.read() else { continue }
            guard DesktopEntry.isOnBus(text) else {
                return Finding(.good, of: entry.path, "the desktop starts the program of \(entry.path)")
            }
            let finding = busFinding(entry.path, mend: mend)
            return Finding(
                finding.state, of: entry.path, finding.text, mend: finding.mend,
                advice: "this creates your own entry, which takes precedence; or reinstall this version")
        }
        return Finding(
            .note, of: folders.entry.path, "no schemes are registered for you", mend: mend)
    }

    private static func busFinding(_ path: String, mend: Finding.Mend) -> Finding {
        Finding(
            .fault, of: path,
            "\(path) has DBusActivatable=true: URLs go over the message bus, where no program receives them",
            mend: mend)
    }
}
