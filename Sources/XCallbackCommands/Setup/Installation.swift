import ArgumentParser
import Glibc
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux

/// Makes actions from files for the user's daemon, and takes them back.
struct Installation: Sendable {
    let folders: UserFolders
    let daemon: UserDaemon

    /// Prepares changes of the user's files, from which other such commands are excluded until this process ends.
    init(for command: String, socket: String?) throws(Failure) {
        guard geteuid() != 0 else {
            throw Failure(
                .errorAnswer,
                "\(command) is for a user's daemon, and root's daemon is the system's\n"
                    + "run it as the user, without sudo; for the system, write a file in /etc/xcallbackd/routes.d")
        }
        folders = try UserFolders()
        daemon = UserDaemon(socket: socket)
        try folders.lockHome(for: command)
    }

    /// The settings for all routes for a user without any, without which no drop-in is read; nil if they exist.
    var missingSettings: WrittenFile? { ConfigurationPlaces(of: nil).isEmpty ? settings : nil }

    private var settings: WrittenFile {
        let text = """
            # Written by xcallback with your first action; 'xcallback remove' removes it with the last one.
            #
            # Settings for all routes of your daemon; the routes are in routes.d. See xcallbackd.yaml(5).
            middleware: [log]
            policies: [{ user: self }]

            """
        return WrittenFile(path: folders.settings, text: text, isProgram: false)
    }

    /// Performs the steps that make an entry, which is recorded first.
    ///
    /// If a step fails or the user interrupts, a new entry is taken back.
    ///
    /// - Throws: `ExitCode` once the reason is printed, or `CancellationError`.
    func make(_ entry: SetupRecord.Entry, _ steps: @escaping @Sendable () async throws -> Void) throws {
        let interruption = try Interruption()
        let before = try SetupRecord(in: folders)
        try change { $0[entry.name] = entry }
        try waitFor {
            try await interruption.run {
                do {
                    try await steps()
                } catch {
                    let status = Self.report(error)
                    // An older entry has lost nothing, and the next run continues with it.
                    if before[entry.name] == nil {
                        // A cancelled task could not call the daemon.
                        try await Task { try await remove(entry.name, isQuiet: true) }.value
                        Terminal.printError("xcallback: all changes were undone")
                    }
                    guard let status else { throw error }
                    throw ExitCode(status.rawValue)
                }
            }
        }
    }

    func change(_ body: (inout SetupRecord) -> Void) throws(Failure) {
        var record = try SetupRecord(in: folders)
        body(&record)
        try record.write(in: folders)
    }

    /// Prints an error, and returns the exit status; nil if the user has interrupted the command.
    private static func report(_ error: any Error) -> ExitStatus? {
        if let error = error as? ConfigurationError {
            Terminal.printError(error)
            return .configuration
        }
        guard let failure = Failure(error) else { return nil }
        Terminal.printError(failure)
        return failure.status
    }

    /// Writes files, checks the whole configuration, and makes the daemon serve it.
    ///
    /// - Returns: Whether the daemon serves it.
    func serve(writing files: [WrittenFile]) async throws -> Bool {
        for file in files {
            try file.write()
            try printStep("wrote", file.path)
        }
        let warnings = try RouterConfiguration(loading: nil).warnings.warnings
        for warning in warnings where files.contains(where: { $0.path == warning.place.file }) {
            Terminal.printError(warning)
        }
        try printStep("checked", "the configuration is valid")
        try Task.checkCancellation()
        return try await daemon.serve { () throws(Failure) in try change { $0.hasEnabledSocket = true } }
    }
}

// MARK: - Removal

extension Installation {
    /// Takes an entry back, except for files that the user has changed.
    ///
    /// If a step fails, a second call does the rest.
    ///
    /// - Throws: ``Failure`` if there is no such entry, or a change could not be undone.
    func remove(_ name: String, isQuiet: Bool = false) async throws {
        var record = try SetupRecord(in: folders)
        guard let entry = record[name] else { return }
        let kept = try remove(entry.files, isQuiet)
        let unregistered = entry.schemes.isEmpty ? [] : try Registration().remove(entry.schemes)
        record[name] = nil
        if record.entries.isEmpty, FolderEntries(of: folders.dropIns)?.names.isEmpty ?? true {
            try settings.remove(isQuiet)
        }
        for scheme in isQuiet ? [] : unregistered { try printStep("unregistered", scheme) }
        try await stopServing(&record, isQuiet)
        try record.write(in: folders)
        // Folders that are not empty are in use.
        for folder in folders.own(of: name) { rmdir(folder) }
        if isQuiet { return }
        if let dropIn = entry.files.first { try printData(of: ExampleComment(dropIn.text)) }
        try Terminal.print("\(name) is removed\(kept.isEmpty ? "" : ", except for the files that you have changed").")
        if !kept.isEmpty {
            let words = kept.map(\.path.shellWord).joined(separator: " ")
            try Terminal.print("To remove them, too: rm \(words) && xcallback reload")
        }
    }

    /// Removes files.
    ///
    /// - Returns: The files that stay, because the user has changed them, or because a changed drop-in needs them.
    private func remove(_ files: [WrittenFile], _ isQuiet: Bool) throws(Failure) -> [WrittenFile] {
        var kept: [WrittenFile] = []
        for file in files {
            let isChanged = try file.state() == .other
            if isChanged || kept.first?.isProgram == false {
                kept.append(file)
                try printStep(
                    "kept", "\(file.path): \(isChanged ? "you have changed it" : "the changed file needs it")")
            } else {
                try file.remove(isQuiet)
            }
        }
        return kept
    }

    private func printData(of comment: ExampleComment) throws(Failure) {
        if let data = comment.data, comment.mayHaveMadeSomething { try printStep("kept", "\(data): your own data") }
    }

    /// Makes the daemon reload the remaining configuration, or stops it if none remains.
    private func stopServing(_ record: inout SetupRecord, _ isQuiet: Bool) async throws {
        let isUnused = ConfigurationPlaces(of: nil).isEmpty
        if record.entries.isEmpty, record.hasEnabledSocket, isUnused {
            try UserUnit.run(["disable", "--now", UserUnit.name])
            if !isQuiet { try printStep("disabled", UserUnit.name) }
        } else if isUnused, case .known = UserUnit.state {
            try UserUnit.run(["stop", ManagerScope.serviceUnit])
        }
        // The socket that another configuration needs stays enabled.
        if record.entries.isEmpty { record.hasEnabledSocket = false }
        guard let process = await daemon.process() else { return }
        guard isUnused else {
            try await daemon.client.reload()
            if !isQuiet { try printStep("reloaded", "the daemon at \(daemon.socket)") }
            return
        }
        if isQuiet { return }
        try printStep(
            "still runs",
            "the daemon at \(daemon.socket), with its last configuration: stop it with 'kill \(process)'")
    }
}

extension WrittenFile {
    /// Removes the file, if it is as written.
    fileprivate func remove(_ isQuiet: Bool) throws(Failure) {
        guard [.written, .notExecutable].contains(try state()) else { return }
        try remove()
        if !isQuiet { try printStep("removed", path) }
    }
}

/// Prints a line about a completed step: what was done, in a word or two, and its object.
func printStep(_ what: String, _ text: String) throws(Failure) {
    try Terminal.print("\(what.padded(to: 14))\(text.withVisibleControls)")
}
