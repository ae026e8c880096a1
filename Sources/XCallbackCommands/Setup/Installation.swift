import ArgumentParser
import Glibc
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackWire

/// Makes actions from files for the user's daemon, and takes them back.
struct Installation: Sendable {
    let folders: UserFolders
    /// The path of the user's daemon, whatever other socket commands use.
    private let socket = SocketLocation.userPath()
    var daemon: Client { Client(socket: socket) }

    /// Prepares changes of the user's files, from which other such commands are excluded until this process ends.
    init(for command: String) throws(Failure) {
        guard geteuid() != 0 else {
            throw Failure(
                "\(command) is for a user's daemon, and root's daemon is the system's\n"
                    + "run it as the user, without sudo; for the system, write a file in /etc/xcallbackd/routes.d")
        }
        folders = try UserFolders()
        try folders.lock(for: command)
    }

    /// The settings for all routes, without which no drop-in is read.
    private var settings: WrittenFile {
        let text = """
            # Written by xcallback with your first action; 'xcallback remove' removes it with the last one.
            #
            # Settings for all routes of your daemon; the routes are in routes.d. See xcallbackd.yaml(5).
            middleware: [log]
            policies: [{ user: self }]

            """
        return WrittenFile(path: folders.settings, bytes: Array(text.utf8))
    }

    /// Makes an entry: records it, writes its files, and lets the daemon serve its routes.
    ///
    /// If a step fails or the user interrupts, everything is taken back.
    ///
    /// - Parameters:
    ///   - entry: The entry, none of whose files may exist, unless they belong to the old entry. A new one cannot have the
    ///     name of another, or of a drop-in.
    ///   - old: The entry of the same name that it replaces, whose files are unchanged.
    ///   - routes: The names of its routes.
    ///   - finish: Performs the other steps; its argument is whether a daemon serves the routes.
    /// - Throws: ``Failure``, `ExitCode` once the reason is printed, or `CancellationError`.
    func make(
        _ entry: SetupRecord.Entry, replacing old: SetupRecord.Entry? = nil, serving routes: [String],
        finish: @escaping @Sendable (Bool) async throws -> Void
    ) throws {
        let taken = entry.files.filter { old?.has($0.path) != true && $0.exists }.map(\.path)
        if let path = (taken + (old == nil ? existingDropIns(named: entry.name) : [])).first {
            throw Failure(.errorAnswer, "'\(path)' already exists; nothing was written\nmove it away first")
        }
        if old == nil, try SetupRecord(in: folders)[entry.name] != nil {
            let advice = "run 'xcallback remove \(entry.name)' first"
            throw Failure(.errorAnswer, "\(entry.name) is already set up; nothing was written\n\(advice)")
        }
        let oldFiles = old?.files.compactMap { WrittenFile(at: $0.path) } ?? []
        try Interruption.waitFor {
            do {
                try change { $0[entry.name] = entry }
                for file in oldFiles where !entry.has(file.path) { try UserFile(path: file.path).remove() }
                removeFolders(of: oldFiles)
                let isServed = try await serve(writing: entry.files)
                if isServed { try await check(routes: routes) }
                printMenuChange()
                try await finish(isServed)
            } catch {
                let status = Failure.report(error)
                // A cancelled task could not call the daemon.
                try await Task {
                    guard let old else { return _ = try await remove(entry, isUndone: true) }
                    for file in entry.files where !old.has(file.path) { try UserFile(path: file.path).remove() }
                    removeFolders(of: entry.files)
                    for file in oldFiles { try file.write() }
                    _ = try Registration().remove(entry.schemes.filter { !old.schemes.contains($0) })
                    try change { $0[old.name] = old }
                    _ = try? await daemon.reload()
                    printMenuChange()
                }.value
                Terminal.printError("xcallback: all changes were undone")
                throw status.map { ExitCode($0.rawValue) } ?? error
            }
        }
    }

    private func printMenuChange() {
        if let change = MenuEntries.update() { Terminal.print(step: "launchers", change) }
    }

    private func change(_ body: (inout SetupRecord) -> Void) throws(Failure) {
        var record = try SetupRecord(in: folders)
        body(&record)
        try record.write(in: folders)
    }

    /// Writes files, checks the whole configuration, and makes the daemon serve it.
    ///
    /// - Returns: Whether the daemon serves it.
    private func serve(writing files: [WrittenFile]) async throws -> Bool {
        let first = ConfigurationPlaces(of: nil).isEmpty ? [settings] : []
        for file in first + files {
            try file.write()
            Terminal.print(step: "wrote", file.path)
        }
        let warnings = try RouterConfiguration(loading: nil).warnings.warnings
        for warning in warnings where files.contains(where: { $0.path == warning.place.file }) {
            Terminal.printError(warning)
        }
        Terminal.print(step: "checked", "the configuration is valid")
        try Task.checkCancellation()
        return try await startServing()
    }

    /// Makes the daemon serve the current configuration: reloads it, or makes the service manager start it.
    ///
    /// - Returns: Whether it serves; if not, the reason is printed.
    private func startServing() async throws -> Bool {
        do {
            _ = try await ReplyWatch.wait("to read its configuration") { try await daemon.reload() }
            Terminal.print(step: "reloaded", "the daemon at \(socket)")
            return true
        } catch let error as ClientError where error.reason == .unreachable {}
        let unit = UserUnit()
        if let obstacle = unit.obstacle {
            Terminal.print(step: "not started", "the daemon: \(obstacle)")
            if let note = sessionNote() { Terminal.print(step: "", note) }
            return false
        }
        if !unit.isEnabled { try change { $0.hasEnabledSocket = true } }
        try UserUnit.run(unit.isEnabled ? ["start", UserUnit.name] : ["enable", "--now", UserUnit.name])
        _ = try await ReplyWatch.wait("to report its status") { try await daemon.status() }
        Terminal.print(step: unit.isEnabled ? "started" : "enabled", "\(UserUnit.name), which starts the daemon")
        return true
    }

    /// Checks that the daemon serves routes.
    private func check(routes names: [String]) async throws {
        let served = Set(try await daemon.routes().map(\.name))
        guard let missing = names.first(where: { !served.contains($0) }) else { return }
        let process = try await daemon.status().service.processID
        throw Failure(
            "the daemon at '\(socket)', process \(process), does not serve \(missing): it reads another configuration\n"
                + "stop it, or start it without '--config'")
    }
}

extension Installation {
    /// Takes an entry back, except for files that the user has changed.
    ///
    /// If a step fails, a second call does the rest. An entry whose drop-in stays keeps what it needs, until that is gone.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - isUndone: Whether its making has failed: then a helper that fails, too, does not keep the rest from being undone.
    /// - Returns: The files that stay.
    /// - Throws: ``Failure`` or `ClientError` if a change could not be undone.
    func remove(_ entry: SetupRecord.Entry, isUndone: Bool = false) async throws -> [WrittenFile] {
        // A setup that is undone may have written no program.
        do throws(Failure) { try entry.runHelper("remove", step: "disconnected", isOptional: isUndone) } catch {
            guard isUndone else { throw error }
            Terminal.printError("xcallback: \(error.message)")
        }
        let kept = try removeFiles(of: entry)
        var record = try SetupRecord(in: folders)
        let isUsed = visibleEntries(of: folders.dropIns).contains { name in
            name.hasSuffix(".yaml") || access("\(folders.dropIns)/\(name)/\(name).yaml", F_OK) == 0
        }
        if kept.first == entry.files.first {
            record[entry.name]?.files = kept
        } else {
            record[entry.name] = nil
            try unregister(entry.schemes, isUsed: isUsed, &record)
        }
        if record.entries.isEmpty, !isUsed { try remove(settings) }
        try await stopServing(&record)
        try record.write(in: folders)
        printMenuChange()
        // Folders that are not empty are in use.
        for folder in folders.own(of: entry.name) { rmdir(folder) }
        return kept
    }

    /// Unregisters what an entry has registered and its update does not, except for schemes with routes in other files.
    func unregister(_ schemes: [String], replacedBy entry: SetupRecord.Entry) throws {
        guard let routes = served?.pipeline.routes else { return }
        let others = Set(routes.filter { !entry.has($0.file) }.map(\.scheme))
        try unregister(schemes.filter { !others.contains($0) })
    }

    /// Unregisters the schemes of an entry that is removed; other entries with routes of a scheme take it over.
    private func unregister(_ schemes: [String], isUsed: Bool, _ record: inout SetupRecord) throws(Failure) {
        // Without drop-ins, there are no routes. What cannot be read may have some.
        guard let routed = served?.pipeline.schemes.map(\.name) ?? (isUsed ? nil : []) else { return }
        for scheme in schemes.filter(routed.contains) {
            let heir = record.entries.firstIndex { $0.routedSchemes.contains(scheme) }
            if let heir { record.entries[heir].schemes.append(scheme) }
        }
        try unregister(schemes.filter { !routed.contains($0) })
    }

    /// The configuration without the drop-ins that have faults; nil if it cannot be read.
    private var served: RouterConfiguration? {
        let options = LoadOptions(ownership: .rootOrUser(geteuid()), logger: .silent, purpose: .reading)
        return try? .starting(in: ConfigurationPlaces(of: nil), options, [:])
    }

    private func unregister(_ schemes: [String]) throws(Failure) {
        if schemes.isEmpty { return }
        for scheme in try Registration().remove(schemes) { Terminal.print(step: "unregistered", scheme) }
    }

    /// Removes the files of an entry.
    ///
    /// - Returns: The files that stay, because the user has changed them, or because a changed drop-in needs them.
    private func removeFiles(of entry: SetupRecord.Entry) throws(Failure) -> [WrittenFile] {
        var kept: [WrittenFile] = []
        for file in entry.files {
            let isChanged = file.isChanged
            if isChanged || !kept.isEmpty && kept[0] == entry.files[0] {
                kept.append(file)
                Terminal.print(
                    step: "kept", "\(file.path): \(isChanged ? "you have changed it" : "the changed file needs it")")
            } else {
                try remove(file)
            }
        }
        removeFolders(of: entry.files)
        return kept
    }

    private func removeFolders(of files: [WrittenFile]) {
        // Folders that are not empty are in use.
        for file in files.reversed() {
            // The path of an inner one may be too long to exist.
            let own = sequence(first: file.path.parent, next: \.parent).prefix { $0.hasPrefix("\(folders.dropIns)/") }
            for folder in own { rmdir(folder) }
        }
    }

    /// Removes a file, if it is as written.
    private func remove(_ file: WrittenFile) throws(Failure) {
        if !file.isAsWritten { return }
        try UserFile(path: file.path).remove()
        Terminal.print(step: "removed", file.path)
    }

    /// Makes the daemon reload the remaining configuration, or stops it if none remains.
    private func stopServing(_ record: inout SetupRecord) async throws {
        let isUnused = ConfigurationPlaces(of: nil).isEmpty
        let servesOthers = isUnused ? await servesOtherFiles() : false
        if record.entries.isEmpty, record.hasEnabledSocket, isUnused {
            try UserUnit.run(["disable", "--now", UserUnit.name])
            Terminal.print(step: "disabled", UserUnit.name)
        } else if isUnused, !servesOthers, UserUnit().obstacle == nil {
            try UserUnit.run(["stop", ManagerScope.serviceUnit])
        }
        // What the daemon remembers of files that are gone.
        let memory = DropInNames.fileName(of: ConfigurationPlaces(of: nil).candidates[0])
        if isUnused { unlink("\(folders.record.parent)/\(memory)") }
        if isUnused { try AutostartEntry().remove() }
        // The socket that another configuration needs stays enabled.
        if record.entries.isEmpty { record.hasEnabledSocket = false }
        if servesOthers { return }
        guard let service = try? await daemon.status().service, service.userID == geteuid() else { return }
        guard isUnused else {
            do {
                try await daemon.reload()
                return Terminal.print(step: "reloaded", "the daemon at \(socket)")
            } catch let error as ClientError {
                // A file of something else is faulty.
                guard case .notLoaded = error.reason else { throw error }
                let advice = "it keeps its routes until 'xcallback check' finds no fault"
                return Terminal.print(step: "not reloaded", "the daemon at \(socket): \(advice)")
            }
        }
        let advice = "stop it with 'kill \(service.processID)'"
        Terminal.print(step: "still runs", "the daemon at \(socket), with its last configuration: \(advice)")
    }

    /// Whether the daemon serves files that are still there: without any of the user's, it has another configuration.
    private func servesOtherFiles() async -> Bool {
        let places = ((try? await daemon.routes()) ?? []).compactMap(\.place)
        return places.contains { place in
            // The line is the last part.
            access(place.split(separator: ":").dropLast().joined(separator: ":"), F_OK) == 0
        }
    }
}

/// The unit of the daemon's socket in the user's service manager.
private struct UserUnit {
    static let name = ManagerScope.socketUnit
    private let unit = ManagerScope.user.units([name])?.first

    var isEnabled: Bool { unit?.isEnabled ?? false }

    /// Why the unit cannot start the daemon; nil if it can.
    var obstacle: String? {
        guard let unit else { return "your service manager is not running" }
        if unit.isMasked { return "\(Self.name) is masked in your service manager" }
        return unit.isLoaded ? nil : "your service manager does not know \(Self.name)"
    }

    /// Runs a command of the service manager.
    static func run(_ arguments: [String]) throws(Failure) {
        let words = ["systemctl", "--user", "--quiet"] + arguments
        let ending = ToolRun(starting: words, limit: .seconds(60)).ending
        if ending == .exited(0) { return }
        throw Failure(
            "'\(words.joined(separator: " "))' failed (\(ending.text))\nsee 'systemctl --user status \(name)'")
    }
}

/// What `xcallback setup` and `xcallback init` have made for a user, so that `xcallback remove` can take it back.
package struct SetupRecord: Hashable, Sendable {
    /// An example, or a first action.
    package struct Entry: Hashable, Sendable {
        /// The name of its drop-in.
        package let name: String
        /// The files written for it: the drop-in, then the programs.
        package var files: [WrittenFile]
        /// The schemes registered for it that were not registered before.
        package var schemes: [String] = []
        /// The folder that it was set up from, and the hash of its files; nil for a shipped example and a first action.
        package var source, sourceHash: String?
        /// The name of the program that connects the example with other applications; nil if none.
        package var helperName: String?

        package init(name: String, files: [WrittenFile]) {
            self.name = name
            self.files = files
        }

        /// The text of its drop-in; nil if it cannot be read.
        var dropIn: String? { files.first.flatMap { try? UserFile(path: $0.path).read() } }

        /// The schemes of its routes.
        fileprivate var routedSchemes: [String] {
            let example = dropIn.map { Example(name: name, text: $0) }
            return (try? example?.configuration(in: "."))?.pipeline.schemes.map(\.name) ?? []
        }

        /// Why a setup cannot replace it: the user has changed a file.
        var conflict: (problem: String, advice: String)? {
            guard let file = files.first(where: \.isChanged) else { return nil }
            return ("you have changed '\(file.path)'", "move it away")
        }

        func has(_ path: String) -> Bool { files.contains { $0.path == path } }
    }

    /// The entries, in the order of their creation.
    package var entries: [Entry] = []
    /// Whether the unit of the socket was enabled.
    package var hasEnabledSocket = false

    package init() {}

    /// An entry by name; nil if there is none.
    package subscript(name: String) -> Entry? {
        get { entries.first { $0.name == name } }
        set {
            entries.removeAll { $0.name == name }
            if let newValue { entries.append(newValue) }
        }
    }
}

extension SetupRecord {
    /// Reads the record of a user; empty if nothing was made.
    init(in folders: UserFolders) throws(Failure) {
        self.init()
        guard let text = try UserFile(path: folders.record).read() else { return }
        guard let record = SetupRecord(text) else {
            throw Failure(
                "'\(folders.record)', the record of 'xcallback setup', is damaged\n"
                    + "delete it, then delete the files that 'xcallback setup' wrote")
        }
        self = record
    }

    /// Writes the record; an empty one removes the file.
    func write(in folders: UserFolders) throws(Failure) {
        let file = UserFile(path: folders.record)
        if entries.isEmpty, !hasEnabledSocket {
            try file.remove()
        } else {
            guard text.utf8.count < UserFile.limit else {
                throw Failure(
                    "'\(folders.record)' would be larger than \(UserFile.limit >> 20) MiB: remove an action first")
            }
            try file.replace(with: text, permissions: 0o600)
        }
    }

    /// Parses a record; nil if the text is invalid.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let value = try? JSONValue(parsing: bytes.span, maximumSize: bytes.count),
            let entries = value["examples"]?.elements, let hasEnabledSocket = value["enabledSocket"]?.truth
        else { return nil }
        self.entries = entries.compactMap { Entry($0) }
        self.hasEnabledSocket = hasEnabledSocket
        if self.entries.count < entries.count { return nil }
    }

    package var text: String {
        let value: JSONValue = [
            "examples": .array(entries.map(\.json)), "enabledSocket": .bool(hasEnabledSocket),
        ]
        return "\(value)\n"
    }
}

extension SetupRecord.Entry {
    /// The program that connects the example with other applications; nil if none.
    private var helper: String? {
        // The package's helpers only: nobody has agreed to run another one.
        guard source == nil, let name = helperName ?? dropIn.flatMap({ ExampleComment($0).helper }) else { return nil }
        return files.first { $0.path.hasSuffix("/\(name)") }?.path
    }

    /// Lets the helper connect other applications (`setup`) or disconnect them (`remove`), and prints its lines.
    func runHelper(_ verb: String, step: String, isOptional: Bool = false) throws(Failure) {
        guard let helper else { return }
        if access(helper, F_OK) != 0 {
            if isOptional { return }
            // The user has deleted it, and only it can take back what it has changed elsewhere.
            let files = try ExampleFolder().example(named: name).files(in: UserFolders())
            try files.first { $0.path == helper }?.write()
        }
        let (hasSucceeded, lines) = Self.call(helper, verb)
        guard hasSucceeded else { throw Failure(lines.joined(separator: "\n")) }
        for line in lines { Terminal.print(step: step, line) }
    }

    /// What the helper finds: its first line is the finding, and the others are advice; nil without a helper.
    var helperFinding: Finding? {
        guard let helper else { return nil }
        let (isGood, lines) = Self.call(helper, "doctor")
        // One that prints nothing has checked nothing.
        let text = lines.first ?? "'\(helper) doctor' prints nothing"
        let advice = lines.dropFirst().joined(separator: "\n")
        return Finding(isGood && !lines.isEmpty ? .good : .fault, of: name, text, advice: advice.isEmpty ? nil : advice)
    }

    /// Whether the files, or those of the folder that they come from, have changed since; nil if not.
    var changeFinding: Finding? {
        guard let source else { return nil }
        let hash = try? ActionFolder(source).hash
        if hash ?? sourceHash == sourceHash, files.allSatisfy(\.isAsWritten) { return nil }
        let text = conflict?.problem ?? "\(name) has changed since it was set up, or '\(source)' has"
        let missing = "'\(source)' cannot be read: 'xcallback remove \(name)' removes the action"
        if let advice = hash == nil ? missing : conflict.map({ "this is fine; before an update, \($0.advice)" }) {
            return Finding(.note, of: name, text, advice: advice)
        }
        return Finding(
            .note, of: name, text, fix: .init("xcallback setup \(source.shellWord)"),
            advice: "it shows the difference, and asks")
    }

    private static func call(_ helper: String, _ verb: String) -> (hasSucceeded: Bool, lines: [String]) {
        let run = ToolRun(asking: [helper, verb], limit: .seconds(120))
        let lines = run.output.split(separator: "\n").map(String.init)
        if run.ending == .exited(0) { return (true, lines) }
        return (false, lines.isEmpty ? ["'\(helper) \(verb)' failed"] : lines)
    }

    fileprivate init?(_ value: JSONValue) {
        guard let name = value["name"]?.text, let files = value["files"]?.members,
            let schemes = value["schemes"]?.elements
        else { return nil }
        self.init(
            name: name,
            files: files.compactMap { file in
                // Earlier records have the texts.
                file.value["hash"]?.text.map { WrittenFile(path: file.name, hash: $0) }
                    ?? file.value.text.map { WrittenFile(path: file.name, bytes: Array($0.utf8)) }
            })
        self.schemes = schemes.compactMap(\.text)
        (source, sourceHash, helperName) = (value["folder"]?.text, value["hash"]?.text, value["helper"]?.text)
    }

    fileprivate var json: JSONValue {
        let files = files.map { JSONValue.Member($0.path, ["hash": .string($0.hash)]) }
        return [
            "name": .string(name), "files": .object(files), "schemes": .texts(schemes), "folder": .text(source),
            "hash": .text(sourceHash), "helper": .text(helperName),
        ]
    }
}
