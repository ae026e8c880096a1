import Glibc
import XCallbackAdministration
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackWire

/// Why a link does not open: what the desktop would start for it.
///
/// It starts nothing that an entry names.
struct LinkExamination {
    /// How long the daemon may take to answer.
    private static let patience = Duration.seconds(5)

    private let url: String
    private let scheme: String
    private let type: String
    private let folders: DesktopFolders
    private let owner: SchemeOwner
    /// All entries of the desktop, by precedence.
    private let entries: [LinkEntry]

    /// Asks the desktop's tools.
    ///
    /// - Parameter url: A URL, or a scheme with a colon.
    /// - Throws: `ValidationError` without a valid scheme, ``Failure`` if the user's folders cannot be found.
    init(_ url: String) throws {
        self.url = url
        scheme = try SchemeNames.checked([String(url.prefix { $0 != ":" })])[0]
        type = DesktopEntry.type(of: scheme)
        folders = try DesktopFolders()
        owner = SchemeOwner(asking: scheme)
        entries = LinkEntry.all(in: [folders.applications] + folders.sharedApplications)
    }

    /// The cause and its command in a line; nil if nothing is wrong, or in a sandbox, which sees only its own applications.
    static func cause(of url: String) -> String? {
        guard !DesktopSession.isSandboxed, let fault = try? LinkExamination(url).fault else { return nil }
        // The command has quotes of its own.
        return fault.text + (fault.fix.map { "; run: \($0.command)" } ?? "")
    }

    /// Finds the cause, or what opens the link.
    ///
    /// - Parameter daemon: The daemon, which explains a link of its own.
    /// - Returns: The cause; notes; other applications.
    func findings(asking daemon: Client) async -> [Finding] {
        let prefix = "\(scheme):"
        let routes = try? await withTimeout(Self.patience) {
            try await daemon.routes(beginningWith: prefix, reachedFrom: .desktop)
        }
        let isRouted = routes?.isEmpty == false
        let own = entries.first { $0.name == DesktopEntry.name && $0.has(type) }
        // What another application has is its own, unless the scheme is registered here.
        let isUnrouted = isRouted && !owner.isOurs && own?.problem == nil && (own != nil || names.isEmpty)
        var findings = [isUnrouted ? unrouted() : fault ?? good]
        if isRouted, !owner.isOurs, !isUnrouted { findings.append(unrouted(.note)) }
        if let problem = DesktopSession.problem(of: scheme) { findings.append(Finding(.note, of: scheme, problem)) }
        for other in entries where other.has(type) && !names.contains(other.name) && other.problem == nil {
            let command = choice(of: other)
            if findings[0].fix?.command == command { continue }
            let text = "\(other.path) can open \(scheme): links, too"
            findings.append(Finding(.note, of: other.path, text, fix: .init(command)))
        }
        // Answers come with a scheme that needs no routes.
        guard owner.isOurs, isRouted || scheme != CallbackRules.answerScheme, !url.hasSuffix(":"),
            let explanation = try? await withTimeout(Self.patience, { try await daemon.explain(url, from: .desktop) })
        else { return findings }
        let isError = explanation.code != nil
        let command = isError ? Finding.Fix("xcallback explain --origin desktop \(url.shellWord)") : nil
        let hints = explanation.hints.isEmpty ? nil : explanation.hints.joined(separator: "\n")
        return findings + [Finding(isError ? .fault : .good, of: url, explanation.result, fix: command, advice: hints)]
    }

    /// The names that the tools give.
    private var names: [String] { owner.entries }

    /// The name that a list of default applications gives first; nil without a list.
    private var listed: String? {
        let list = folders.list(deciding: scheme).flatMap { try? UserFile(path: $0).read() }
        return list.flatMap { MimeDefaults($0).entries(for: type).first }
    }

    /// An entry that does not have the scheme, but is probably for it.
    private var likely: LinkEntry? {
        entries.first { $0.mentions(type) } ?? entries.first { $0.name != DesktopEntry.name && $0.isNamed(scheme) }
    }

    private func entry(_ name: String) -> LinkEntry? { entries.first { $0.name == name } }

    private var good: Finding {
        guard let entry = names.first.flatMap(entry) else {
            return Finding(.skipped, of: scheme, "neither xdg-mime nor gio says which application has \(scheme):")
        }
        let list = folders.list(deciding: scheme).map { path in
            guard let listed, self.entry(listed) == nil else { return ", because \(path) says so" }
            return "; \(path) names \(listed), which is not installed"
        }
        return Finding(
            .good, of: scheme, "\(entry.path) opens \(scheme): links\(list ?? "")",
            advice: "it starts: \(entry.command(opening: url))")
    }

    /// Links of the daemon's that reach another application, or none.
    private func unrouted(_ state: Finding.State = .fault) -> Finding {
        let other = names.first.map { "\(folders.title(of: $0)) opens its links" } ?? "it is not registered"
        return Finding(
            state, of: scheme, "scheme \(scheme) has routes, but \(other)",
            fix: .init("xcallback register \(scheme) --default"))
    }

    /// The reason why the link does not open; nil if there is none.
    private var fault: Finding? {
        // Openers go on to the next application if the first in a list is not installed.
        let opened = names.first.flatMap { entry($0) != nil && owner.allAnswer(.entry($0)) ? $0 : nil }
        if let name = opened ?? listed ?? names.first {
            guard let entry = entry(name) else { return missing(name) }
            if let problem = entry.problem { return finding(problem, entry) }
        }
        // Without a cache, only xdg-mime searches all entries.
        if owner.gio == .none || owner.hasNoHandler { return absence }
        guard let name = names.first, let entry = entry(name), !owner.allAnswer(.entry(name)) else { return nil }
        let other = names.count > 1 ? "GTK programs start \(names[1])" : "xdg-open starts nothing"
        return Finding(.fault, of: scheme, "openers differ: \(name), but \(other)", fix: .init(choice(of: entry)))
    }

    /// The reason why no application is known.
    private var absence: Finding {
        if let entry = entries.first(where: { $0.has(type) }) {
            let removed = "is not started by GTK programs: a mimeapps.list may have it in '[Removed Associations]'"
            let problem =
                folderCaching(entry.name) != nil
                ? LinkEntry.Problem(removed, after: choice(of: entry)) : .init("is not in the desktop's cache", [])
            return finding(entry.problem ?? problem, entry)
        }
        if let entry = likely {
            let text = "does not have '\(type)' in its 'MimeType'"
            return finding(entry.problem ?? .init(text, after: choice(of: entry)), entry)
        }
        let own = "\(folders.applications.parent)/flatpak/exports/share"
        let unread = ["/var/lib/flatpak/exports/share", "/var/lib/snapd/desktop", own].map { "\($0)/applications" }
        if let entry = LinkEntry.all(in: unread).first(where: { $0.has(type) }) {
            return finding(.init("is in a folder that this session does not read ($XDG_DATA_DIRS)", []), entry)
        }
        return Finding(
            .fault, of: scheme, "no application opens \(scheme): links",
            advice: "install one, or start it once: some applications register themselves")
    }

    /// A default application that is not installed.
    private func missing(_ name: String) -> Finding {
        let list = listed == name ? folders.list(deciding: scheme) : nil
        let source = list ?? "the desktop's cache"
        let text = "\(source) names \(name) for \(scheme): links, which is not installed"
        let update = (list == nil ? folderCaching(name) : nil).map {
            Finding.Fix("update-desktop-database \($0.shellWord)", needsRoot: access($0, W_OK) != 0)
        }
        let fix = (working(except: name) ?? likely).map { Finding.Fix(choice(of: $0)) } ?? update
        return Finding(.fault, of: source, text, fix: fix, advice: fix == nil ? "install it again" : nil)
    }

    /// The folder in whose cache the scheme has an application; nil if there is none.
    private func folderCaching(_ name: String) -> String? {
        ([folders.applications] + folders.sharedApplications).first { folder in
            let cache = (try? UserFile(path: "\(folder)/mimeinfo.cache").read()) ?? ""
            return cache.split(separator: "\n").contains { $0.hasPrefix("\(type)=") && $0.contains(text: name) }
        }
    }

    private func finding(_ problem: LinkEntry.Problem, _ entry: LinkEntry) -> Finding {
        var (subject, advice) = (entry.path, problem.advice)
        var commands = [problem.command, problem.edits.map { change(entry, $0) }].compactMap { $0 }
        let shared = LinkEntry.all(in: folders.sharedApplications).first { $0.name == entry.name }
        if let shared, shared.path != entry.path, shared.has(type), shared.problem == nil {
            subject += ", which hides \(shared.path),"
            (commands, advice) = (["rm \(entry.path.shellWord)"], nil)
        } else if commands.isEmpty || !entry.has(type), let other = working(except: entry.name) {
            (commands, advice) = ([choice(of: other)], advice.map { "or \($0)" })
        }
        let fix = commands.isEmpty ? nil : Finding.Fix(commands.joined(separator: " && "))
        advice = advice ?? (fix == nil ? "install the application again" : nil)
        return Finding(.fault, of: entry.path, "\(subject) \(problem.text)", fix: fix, advice: advice)
    }

    /// Another application that has the scheme, and opens it.
    private func working(except name: String) -> LinkEntry? {
        entries.first { $0.has(type) && $0.name != name && $0.problem == nil }
    }

    /// The command that makes an application the default.
    private func choice(of entry: LinkEntry) -> String {
        let list = folders.list(deciding: scheme).flatMap { folders.canOverride($0) ? nil : $0 }
        if let list, DesktopEntry.canKeep(entry.name) {
            let name = entry.name.replacing("&", with: "\\&").replacing("#", with: "\\#")
            let line = "s#^ *\(type) *=.*#\(type)=\(name)#".shellWord
            return "sed -i --follow-symlinks \(line) \(list.shellWord)"
        }
        // xdg-mime does not look into folders.
        let move = entry.path.fileName == entry.name ? "" : "\(change(entry, [])) && "
        return "\(move)xdg-mime default \(entry.name.shellWord) \(type)"
    }

    /// The command that changes the user's copy of an entry.
    private func change(_ entry: LinkEntry, _ edits: [String]) -> String {
        let own = folders.applications
        let target = "\(own)/\(entry.name)"
        let (path, from) = (target.shellWord, entry.path.shellWord)
        let isOwn = entry.path.hasPrefix("\(own)/")
        let copy = entry.path == target ? [] : ["mkdir -p \(own.shellWord)", "\(isOwn ? "mv" : "cp") \(from) \(path)"]
        let edit = edits.isEmpty ? [] : ["sed -i \(edits.map { "-e \($0.shellWord)" }.joined(separator: " ")) \(path)"]
        let update = listed == entry.name ? [] : ["update-desktop-database \(own.shellWord)"]
        return (copy + edit + update).joined(separator: " && ")
    }
}
