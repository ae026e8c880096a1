import ArgumentParser
import Glibc
import XCallbackBuiltIns
package import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackURL

/// Registers schemes with the desktop.
struct RegisterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Make links with a scheme reach the daemon.",
        discussion: """
            Writes an entry for the current user, and changes no other user's files. If another application has a \
            scheme, it stays the default unless you use '--default'. Afterwards, asks the desktop's tools which \
            application has each scheme, and prints the result. 'xcallback unregister' undoes everything.

            Without a service manager for users (OpenRC, runit), also writes ~/.config/autostart/xcallbackd.desktop, which \
            starts the daemon with your session.

            Other applications answer with URLs of the scheme 'xcallback' ('xcallback call').

            If no route of the configuration has the scheme, prints a warning.

            Example: xcallback register notes --default

            Exit status: 0 registered, 1 not written, or not effective, 64 usage, 78 configuration faults.
            """
    )

    @Argument(help: ArgumentHelp("The schemes.", valueName: "scheme"), completion: .live(.scheme))
    var schemes: [String] = []

    @Flag(help: "Register all schemes of the configuration, and 'xcallback'.")
    var all = false

    @Flag(name: .customLong("default"), help: "Take precedence over other applications that have the schemes.")
    var asDefault = false

    @OptionGroup var source: ConfigurationOption

    func validate() throws {
        _ = try SchemeNames.checked(schemes)
        if schemes.isEmpty, !all { throw ValidationError("Give schemes, or use '--all'.") }
    }

    func run() throws {
        let registration = try Registration()
        try UserFolders().lock(for: "register")
        var names = schemes
        if all { names += SchemeNames.all(in: try RouterConfiguration(loading: source.config)) }
        let schemes = try SchemeNames.checked(names)
        try checkRoutes(of: try SchemeNames.checked(self.schemes))
        let start = try registration.add(schemes, asDefault: asDefault)
        var isEffective = true
        for scheme in schemes {
            let owner = SchemeOwner(asking: scheme)
            try Terminal.print(owner.title)
            if let problem = DesktopSession.problem(of: scheme) { Terminal.printError("xcallback: \(problem)") }
            if asDefault ? !owner.isOurs : owner.hasNoHandler { isEffective = false }
        }
        if let change = MenuEntries.update() { try Terminal.print(change) }
        if let start { try Terminal.print("\(start): starts the daemon with your session") }
        if !isEffective { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
    }

    /// Reports schemes without a route; without a valid configuration, only those of web pages are checked.
    private func checkRoutes(of schemes: [String]) throws(Failure) {
        let configuration = try? RouterConfiguration(loading: source.config)
        let routed = configuration.map { SchemeNames.all(in: $0) }
        for scheme in DesktopEntry.webSchemes.sorted()
        where schemes.contains(scheme) && routed?.contains(scheme) != true {
            throw Failure(.usage, "no route has the scheme '\(scheme)', which web pages have; nothing was registered")
        }
        guard let configuration, let routed else { return }
        Self.reportPrivate(schemes, configuration)
        for scheme in schemes where !routed.contains(scheme) {
            let suggestion = scheme.suggestion(among: routed)
            Terminal.printError("xcallback: no route has the scheme '\(scheme)'\(suggestion)")
        }
    }

    /// Reports schemes whose links reach nothing.
    private static func reportPrivate(_ schemes: [String], _ configuration: RouterConfiguration) {
        for scheme in schemes {
            let own = configuration.pipeline.routes.filter { $0.name.hasPrefix("\(scheme):") }
            guard let first = own.first, !own.contains(where: \.isPublic) else { continue }
            Terminal.printError(
                "xcallback: no route of \(scheme) is public, so its links are refused: write 'public: true' in a route that "
                    + "links and web pages may open, such as \(first.name)")
        }
    }
}

/// Undoes a registration.
struct UnregisterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unregister",
        abstract: "Undo 'xcallback register'.",
        discussion: """
            Keeps entries of other programs, and restores the previous defaults.

            Example: xcallback unregister notes

            Exit status: 0 none of the schemes is registered now, 1 a file cannot be changed, 64 usage.
            """
    )

    @Argument(
        help: ArgumentHelp("The schemes. Default: all registered schemes.", valueName: "scheme"),
        completion: .live(.registeredScheme))
    var schemes: [String] = []

    func validate() throws {
        _ = try SchemeNames.checked(schemes)
    }

    func run() throws {
        let registration = try Registration()
        try UserFolders().lock(for: "unregister")
        let wanted = try SchemeNames.checked(schemes)
        let removed = try registration.remove(wanted.isEmpty ? nil : wanted)
        for scheme in removed { try Terminal.print("\(scheme): unregistered") }
        for scheme in wanted where !removed.contains(scheme) { try Terminal.print("\(scheme): was not registered") }
        if wanted.isEmpty, let change = try MenuEntries.remove() { try Terminal.print(change) }
    }
}

/// Schemes on the command line.
enum SchemeNames {
    /// Validates names of schemes.
    ///
    /// - Parameter names: The names as written: with or without a colon, in any case.
    /// - Returns: The distinct schemes in lower case.
    /// - Throws: `ValidationError` for an invalid name, or one that cannot belong to an application.
    static func checked(_ names: [String]) throws -> [String] {
        var schemes: [String] = []
        for name in names {
            let scheme = (name.hasSuffix(":") ? String(name.dropLast()) : name).lowercased()
            guard isScheme(scheme) else {
                throw ValidationError(
                    "'\(name.withVisibleControls)' is not a scheme: expected a letter, then letters, digits, '+', '-' "
                        + "or '.'.")
            }
            guard !CallbackRules.isRefused(scheme: scheme) else {
                throw ValidationError("The scheme '\(scheme)' is reserved.")
            }
            if !schemes.contains(scheme) { schemes.append(scheme) }
        }
        return schemes
    }

    /// Returns the schemes of a configuration, including that of the daemon's own URLs.
    static func all(in configuration: RouterConfiguration) -> [String] {
        configuration.pipeline.schemes.map(\.name) + [CallbackRules.answerScheme]
    }
}

extension SchemeOwner {
    /// Whether at least one tool answers, and all that answer would start the command.
    package var isOurs: Bool { allAnswer(.entry(DesktopEntry.name)) }

    /// The names of the entries that the tools give.
    var entries: [String] { [xdg, gio].compactMap { if case .entry(let name) = $0 { name } else { nil } } }

    /// The entry of another application that owns the scheme; nil if none.
    var otherEntry: String? { entries.first { $0 != DesktopEntry.name } }

    /// The owner in one line, for people.
    var title: String {
        if isOurs { return "\(scheme): xcallback has it" }
        guard let name = otherEntry else {
            return hasNoHandler
                ? "\(scheme): no application has it"
                : "\(scheme): cannot find its application: neither xdg-mime nor gio is installed, or they disagree"
        }
        let folders = try? DesktopFolders()
        if let folders, let list = folders.list(deciding: scheme), !folders.canOverride(list) {
            let line = "\(DesktopEntry.type(of: scheme))=\(name)"
            return "\(scheme): \(name) has it, because \(list) says so; delete the line '\(line)' there"
        }
        return "\(scheme): \(name) has it; 'xcallback register \(scheme) --default' takes precedence over it"
    }
}

/// The user's registration of schemes with the desktop.
struct Registration {
    private let folders: DesktopFolders

    /// Locates the user's files.
    ///
    /// - Throws: ``Failure`` if their locations cannot be determined, or belong to another user than root who runs the command.
    init() throws(Failure) {
        folders = try DesktopFolders()
        try checkOwner(of: folders.applications)
        try checkOwner(of: folders.defaults.path)
    }

    /// Checks that root does not write through the links of another user.
    private func checkOwner(of path: String) throws(Failure) {
        guard geteuid() == 0 else { return }
        for index in path.indices.dropFirst() where path[index] == "/" {
            let folder = String(path[..<index])
            var (link, target) = (stat(), stat())
            guard lstat(folder, &link) == 0, stat(folder, &target) == 0 else { return }
            guard let owner = [link.st_uid, target.st_uid].first(where: { $0 != 0 }) else { continue }
            let user = UserDatabase.name(of: owner)
            throw Failure(
                "'\(folder)' belongs to \(user.map { "user \($0)" } ?? "uid \(owner)"): root does not write through another "
                    + "user's links; nothing was changed\n"
                    + "run it as that user\(user.map { ": runuser -u \($0) -- xcallback …" } ?? "")")
        }
    }

    /// Adds schemes to the user's entry.
    ///
    /// The user's entry takes precedence over those that are installed for all users: if one of those is to keep its scheme, it
    /// is added to the user's choices.
    ///
    /// - Parameters:
    ///   - schemes: The schemes, in lower case.
    ///   - asDefault: Whether the command takes precedence over other applications with the schemes.
    /// - Returns: The path of the entry that starts the daemon, if it was written, too.
    /// - Throws: ``Failure`` if a file cannot be read or written.
    @discardableResult
    func add(_ schemes: [String], asDefault: Bool) throws(Failure) -> String? {
        let old = try folders.readEntry()
        let program = try Self.program()
        var entry = DesktopEntry(program: program, schemes: (old?.schemes ?? []) + schemes)
        entry.keptDefaults = old?.keptDefaults ?? [:]
        if !DesktopEntry.webSchemes.isDisjoint(with: entry.schemes) {
            entry.browser = try Self.browser(before: old).name
        }
        let new = Set(schemes).subtracting(old?.schemes ?? []).sorted()
        let pages = entry.browser != nil && old?.browser == nil ? DesktopEntry.pageTypes : []
        let others = try othersToKeep((asDefault ? [] : new) + pages)
        entry.keptDefaults.merge(others) { $1 }
        try write(entry) { defaults in
            for (scheme, other) in others { defaults.prefer(other, for: DesktopEntry.type(of: scheme)) }
            guard asDefault else { return }
            for scheme in schemes { defaults.prefer(DesktopEntry.name, for: DesktopEntry.type(of: scheme)) }
        }
        updateDatabase()
        let start = try AutostartEntry()
        return try start.add(beside: program) ? start.path : nil
    }

    /// Returns the browser that has the links of web pages, or had them before the command.
    ///
    /// - Parameter entry: The entry that the command has written, if any.
    /// - Returns: The browser; another one if it was removed.
    /// - Throws: ``Failure`` if there is none.
    static func browser(before entry: DesktopEntry?) throws(Failure) -> Browser {
        let owner = entry?.browser ?? SchemeOwner(asking: "https").otherEntry ?? ""
        if let browser = Browser.any(preferring: owner), browser.name.hasOnlyAlphanumerics(and: "._-+@") {
            return browser
        }
        throw Failure(
            "no browser opens https: links here, so none could open what your rules do not; nothing was registered\n"
                + "install a browser first; 'xdg-mime query default x-scheme-handler/https' names the one that is used")
    }

    /// Returns the applications that own schemes without being among the user's choices, by scheme.
    private func othersToKeep(_ schemes: [String]) throws(Failure) -> [String: String] {
        let defaults = MimeDefaults(try folders.defaults.read() ?? "")
        var others: [String: String] = [:]
        for scheme in schemes {
            guard let other = SchemeOwner(asking: scheme).otherEntry,
                !defaults.contains(other, for: DesktopEntry.type(of: scheme))
            else { continue }
            guard DesktopEntry.canKeep(other) else {
                throw Failure(
                    "'\(other.withVisibleControls)' has \(scheme), and its name cannot stand in a list; nothing was "
                        + "registered\n'xcallback register \(scheme) --default' takes precedence over it")
            }
            others[scheme] = other
        }
        return others
    }

    /// Removes schemes from the user's entry, and the entry with its last scheme.
    ///
    /// - Parameter schemes: The schemes, in lower case; nil for all.
    /// - Returns: The schemes that were registered.
    /// - Throws: ``Failure`` if a file cannot be read or written.
    func remove(_ schemes: [String]?) throws(Failure) -> [String] {
        guard let old = try folders.readEntry() else { return [] }
        let removed = old.schemes.filter { schemes?.contains($0) ?? true }
        let kept = old.schemes.filter { !removed.contains($0) }
        var entry = DesktopEntry(program: old.program, schemes: kept)
        entry.browser = DesktopEntry.webSchemes.isDisjoint(with: kept) ? nil : old.browser
        let types = removed + (entry.browser == nil ? DesktopEntry.pageTypes : [])
        entry.keptDefaults = old.keptDefaults.filter { !types.contains($0.key) }
        try write(kept.isEmpty ? nil : entry) { defaults in
            for scheme in types {
                let type = DesktopEntry.type(of: scheme)
                defaults.drop(DesktopEntry.name, for: type)
                if let other = old.keptDefaults[scheme] { defaults.drop(other, for: type) }
            }
        }
        if kept.isEmpty { try AutostartEntry().remove() }
        updateDatabase()
        return removed
    }

    /// Changes the user's choices, and writes or removes the entry: both, or neither.
    private func write(
        _ entry: DesktopEntry?, changing change: (inout MimeDefaults) -> Void
    ) throws(Failure) {
        let before = try folders.defaults.read()
        let old = MimeDefaults(before ?? "")
        var new = old
        change(&new)
        do throws(Failure) {
            // An empty file is removed, unless it is elsewhere.
            let isKept = !new.text.isEmpty || folders.defaults.isLink
            if new != old { try Self.set(folders.defaults, to: isKept ? new.text : nil) }
            try Self.set(folders.entry, to: entry?.text)
        } catch {
            if try folders.defaults.read() != before { try Self.set(folders.defaults, to: before) }
            throw Failure(error.status, "\(error.message)\nnothing was changed")
        }
    }

    /// Replaces a file, or removes it without a text.
    private static func set(_ file: UserFile, to text: String?) throws(Failure) {
        if let text { try file.replace(with: text) } else { try file.remove() }
    }

    /// Updates the cache that gio reads; xdg-mime reads the entries themselves.
    private func updateDatabase() {
        let tool = "update-desktop-database"
        guard ToolRun.isInstalled(tool) else {
            return Terminal.printError(
                "xcallback: '\(tool)' is not installed (package desktop-file-utils): gio may not see the change")
        }
        let run = ToolRun(asking: [tool, folders.applications])
        if run.ending != .exited(0) {
            Terminal.printError("xcallback: '\(tool)' failed: gio may not see the change")
        }
    }

    /// The absolute path of the running command, because the desktop's `PATH` may differ.
    static func program() throws(Failure) -> String {
        guard let path = ownPath else { throw Failure("cannot find the path of this program") }
        guard DesktopEntry.word(for: path) != nil else {
            throw Failure(
                "desktops cannot start '\(path)' reliably: its path has characters other than letters, digits, blanks and "
                    + "'/._-+,:@'\ninstall it elsewhere")
        }
        return path
    }
}
