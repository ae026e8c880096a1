import XCallbackClient
import XCallbackConfiguration

/// Undoes the setup of an example, except for files that the user has edited or created.
struct SetupUndo: Sendable {
    let name: String
    let folders: UserFolders
    let daemon: UserDaemon

    /// Undoes the setup; if a step fails, a second call can undo the rest.
    ///
    /// - Throws: ``Failure`` if the example is not set up, or a change could not be undone.
    func run() async throws {
        let file = SetupFile(in: folders)
        var record = try file.read()
        guard let example = record[name] else {
            throw Failure(.errorAnswer, "\(name) is not set up: 'xcallback setup' lists the examples")
        }
        do {
            try removeFiles(of: example, &record)
            if record.examples.count == 1 { try removeSettings(&record) }
            try unregister(example, &record)
            try await stopServing(&record)
            record[name] = nil
        } catch {
            try file.write(record)
            throw error
        }
        try forget(record, file)
        let comment = example.files.first { !$0.isProgram }.map { ExampleComment($0.text) }
        if let comment, let data = comment.data, comment.mayHaveMadeSomething {
            try SetupLine.print("kept", "\(data): your own data")
        }
        try Terminal.print("\(name) is no longer set up.")
    }

    private func removeFiles(of example: SetupRecord.Example, _ record: inout SetupRecord) throws(Failure) {
        for file in example.files {
            guard try remove(file) else {
                // The programs belong to a drop-in that stays.
                if !file.isProgram { break }
                continue
            }
            record[name]?.files.removeAll { $0 == file }
        }
    }

    /// Removes the settings for all routes, unless they are in use.
    private func removeSettings(_ record: inout SetupRecord) throws(Failure) {
        guard let settings = record.settings else { return }
        let others = FolderEntries(of: folders.dropIns)?.names ?? []
        if others.isEmpty {
            _ = try remove(settings)
        } else {
            try SetupLine.print("kept", "\(settings.path): '\(folders.dropIns)' is not empty")
        }
        record.settings = nil
    }

    /// Removes a file.
    ///
    /// - Returns: Whether it is removed; false if the user has edited it.
    private func remove(_ file: WrittenFile) throws(Failure) -> Bool {
        switch try file.state() {
        case .missing: return true
        case .other:
            try SetupLine.print("kept", "\(file.path): you have edited it")
            return false
        case .written, .notExecutable:
            try file.remove()
            try SetupLine.print("removed", file.path)
            return true
        }
    }

    private func unregister(_ example: SetupRecord.Example, _ record: inout SetupRecord) throws(Failure) {
        try Registration().dropDefaults(of: example.preferred)
        record[name]?.preferred = []
        guard !example.schemes.isEmpty else { return }
        for scheme in try Registration().remove(example.schemes) { try SetupLine.print("unregistered", scheme) }
        record[name]?.schemes = []
    }

    /// Makes the daemon reload the remaining configuration, or stops it if none remains.
    private func stopServing(_ record: inout SetupRecord) async throws {
        let isUnused = ConfigurationPlaces(of: nil).isEmpty
        if record.examples.count == 1, record.hasEnabledSocket {
            if isUnused {
                try UserUnit.disable()
                try SetupLine.print("disabled", UserUnit.name)
            } else {
                try SetupLine.print("kept", "\(UserUnit.name): the daemon has other configuration to serve")
            }
            record.hasEnabledSocket = false
        } else if isUnused, case .known = UserUnit.state {
            try UserUnit.stopDaemon()
        }
        guard let process = await daemon.process() else { return }
        if isUnused {
            return try SetupLine.print(
                "still runs",
                "the daemon at \(daemon.socket), with its last configuration: stop it with 'kill \(process)'")
        }
        try await daemon.client.reload()
        try SetupLine.print("reloaded", "the daemon at \(daemon.socket)")
    }

    /// Removes folders that are now empty, and the record with the last example.
    private func forget(_ record: SetupRecord, _ file: SetupFile) throws(Failure) {
        var record = record
        if record.examples.isEmpty {
            // Folders that are not empty belong to the user now.
            try file.write(SetupRecord())
            _ = MadeFolders.remove(record.made)
        } else {
            record.made = MadeFolders.remove(record.made)
            try file.write(record)
        }
    }
}
