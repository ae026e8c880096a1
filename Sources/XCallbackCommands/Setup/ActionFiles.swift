import ArgumentParser
import XCallbackBuiltIns
import XCallbackBytes
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux

/// The files of a first action, with their installation.
struct ActionFiles: Sendable {
    private let action: FirstAction
    private let files: [WrittenFile]

    /// Determines the files without writing them.
    ///
    /// - Throws: ``Failure`` if an existing file cannot be read.
    init(_ action: FirstAction, in folders: UserFolders) throws(Failure) {
        self.action = action
        let name = try Self.name(of: action, in: folders)
        let program = folders.program(name, of: name)
        let settings = SetupSettings.file(in: folders, "'xcallback init', yours to edit").map { [$0] } ?? []
        files =
            settings + [
                WrittenFile(path: program, text: action.program, isProgram: true),
                WrittenFile(path: folders.dropIn(name), text: action.dropIn(running: program), isProgram: false),
            ]
    }

    /// The name of the action, with a number appended while files of other actions have that name: `a:/b-c`, `a:/b/c`.
    private static func name(of action: FirstAction, in folders: UserFolders) throws(Failure) -> String {
        var (name, number) = (action.name, 1)
        let line = "route: \(action.url)\n"
        while let text = try UserFile(path: folders.dropIn(name)).read(), !text.contains(text: line) {
            number += 1
            name = "\(action.name)-\(number)"
        }
        return name
    }

    /// Writes the files and makes the daemon serve them; if a step fails, undoes everything.
    ///
    /// - Throws: `ExitCode` once the reason is printed, or `CancellationError`.
    func install(for daemon: UserDaemon) async throws {
        for file in files where try file.state() != .missing {
            throw Failure(.errorAnswer, "'\(file.path)' already exists; nothing was written\nchoose another URL")
        }
        var changes = Changes()
        do {
            let isServed = try await install(for: daemon, noting: &changes)
            try finish(isServed: isServed)
        } catch {
            try await changes.takeBack(because: error)
        }
    }

    private func install(for daemon: UserDaemon, noting changes: inout Changes) async throws -> Bool {
        let made = MadeFolders.missing(for: files.map(\.path))
        changes.note { _ = MadeFolders.remove(made) }
        for file in files {
            changes.note { try file.remove() }
            try file.write()
            try SetupLine.print("wrote", file.path)
        }
        _ = try RouterConfiguration(loading: nil)
        try SetupLine.print("checked", "the configuration is valid")
        try Task.checkCancellation()
        let isServed = try await daemon.serve(noting: &changes)
        if isServed { try await daemon.check(routes: [action.url]) }
        return isServed
    }

    private func finish(isServed: Bool) throws(Failure) {
        let program = files[files.count - 2].path
        var next = isServed ? [] : ["xcallbackd &"]
        next += [
            action.example, "xcallback routes \(action.url)", "\(variable("EDITOR") ?? "nano") \(program.shellWord)",
            "xcallback register \(action.scheme)",
        ]
        let meanings =
            (isServed ? [] : ["starts the daemon"]) + [
                "runs it", "shows its description", "changes what it does", "lets the desktop open its URLs",
            ]
        try Terminal.print("\(action.url) is ready. Next:")
        try Terminal.print(TextTable(zip(next, meanings).map { ["  \($0)", "# \($1)"] }).text)
    }
}
