import ArgumentParser
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux

/// The setup of an example for the user: its files, the daemon, the desktop, and a trial.
struct Setup: Sendable {
    let example: Example
    let contents: Example.Contents
    let answers: SetupAnswers
    let folders: UserFolders
    let daemon: UserDaemon
    /// Whether a URL of the example is opened at the end.
    let triesOut: Bool

    /// Sets the example up; a second run only adds missing parts.
    ///
    /// If a step fails, everything is undone, and the reason is printed.
    ///
    /// - Throws: `ExitCode`, or `CancellationError`.
    func run() async throws {
        var changes = Changes()
        do {
            try await run(noting: &changes)
        } catch {
            try await changes.takeBack(because: error)
        }
    }

    private func run(noting changes: inout Changes) async throws {
        let file = SetupFile(in: folders)
        let before = try file.read()
        let isTried = before[example.name]?.isTried ?? false
        let step = try SetupFiles(for: self, before)
        let schemes = try missingSchemes()
        let preferred = schemesOfOthers(except: schemes)
        try begin(step, schemes, preferred, before, file, noting: &changes)
        for file in step.edited { try SetupLine.print("kept", "\(file.path): you have edited it") }
        for file in step.missing {
            try write(file, noting: &changes)
            try SetupLine.print("wrote", file.path)
        }
        try checkConfiguration()
        try Task.checkCancellation()

        let isServed = try await daemon.serve(noting: &changes) { () throws(Failure) in
            var record = try file.read()
            record.hasEnabledSocket = true
            try file.write(record)
        }
        // The user may have edited the routes.
        let isEdited = step.edited.contains { !$0.isProgram }
        if isServed, !isEdited { try await daemon.check(routes: contents.routes) }
        try register(schemes, preferred, noting: &changes)
        try Task.checkCancellation()
        if isServed, !isTried {
            if triesOut { try await tryOut() }
            var record = try file.read()
            record[example.name]?.isTried = true
            try file.write(record)
        }
        if isTried {
            let isRepaired = !step.missing.isEmpty || !schemes.isEmpty
            try Terminal.print("\(example.name) is already set up\(isRepaired ? "; missing parts were restored" : "").")
        } else {
            try finish(isServed: isServed)
        }
    }

    /// Records the following changes, so that they can be undone even if this process does not finish.
    private func begin(
        _ step: SetupFiles, _ schemes: [String], _ preferred: [String], _ before: SetupRecord, _ file: SetupFile,
        noting changes: inout Changes
    ) throws(Failure) {
        let made = try step.newPlaces(folders, registersSchemes: !schemes.isEmpty)
        var record = before
        let old = before[example.name]
        let kept = old?.schemes.filter { !schemes.contains($0) } ?? []
        record[example.name] = SetupRecord.Example(
            name: example.name, answers: answers, files: step.recorded, schemes: kept + schemes,
            isTried: old?.isTried ?? false)
        record[example.name]?.preferred = Set((old?.preferred ?? []) + preferred).sorted()
        record.settings = step.settings ?? before.settings
        record.made = Set(before.made + made).sorted()
        changes.note { _ = MadeFolders.remove(made) }
        changes.note { try file.write(before) }
        try file.write(record)
    }

    private func write(_ file: WrittenFile, noting changes: inout Changes) throws(Failure) {
        let old = try UserFile(path: file.path).read()
        changes.note {
            if let old { try UserFile(path: file.path).replace(with: old) } else { try file.remove() }
        }
        try file.write()
    }

    /// Checks the whole configuration, as `xcallback check` does.
    private func checkConfiguration() throws {
        let warnings = try RouterConfiguration(loading: nil).warnings.warnings
        let dropIn = folders.dropIn(example.name)
        for warning in warnings where warning.place.file == dropIn { Terminal.printError(warning) }
        try SetupLine.print("checked", "the configuration is valid")
    }

    /// Returns the schemes of the example that the user has not registered.
    private func missingSchemes() throws(Failure) -> [String] {
        let registered = try DesktopFolders().readEntry()?.schemes ?? []
        return contents.schemes.filter { !registered.contains($0) }
    }

    /// Returns the user's registered schemes that other applications still own, if the user wants to change that.
    private func schemesOfOthers(except missing: [String]) -> [String] {
        guard answers.isDefault else { return [] }
        return contents.schemes.filter {
            !missing.contains($0) && OwnerReport.otherOwner(SchemeOwner(asking: $0)) != nil
        }
    }

    private func register(
        _ schemes: [String], _ preferred: [String], noting changes: inout Changes
    ) throws(Failure) {
        if !preferred.isEmpty {
            changes.note { try Registration().dropDefaults(of: preferred) }
            try Registration().add(preferred, asDefault: true)
        }
        if !schemes.isEmpty {
            changes.note { _ = try Registration().remove(schemes) }
            if let start = try Registration().add(schemes, asDefault: answers.isDefault) {
                try SetupLine.print("wrote", "\(start), which starts the daemon with your session")
            }
        }
        if example.comment.browserLine != nil, let browser = try DesktopFolders().readEntry()?.browser {
            let title = Browser(named: browser)?.title ?? browser
            try SetupLine.print("remembered", "\(title), which opens links that no rule opens")
        }
        for scheme in schemes + preferred {
            try SetupLine.print("registered", OwnerReport.title(SchemeOwner(asking: scheme)))
        }
    }

    private func tryOut() async throws {
        guard let url = example.comment.trial else { return }
        let trial = Trial(
            url: url, effect: example.comment.effect, mayHaveEffect: example.comment.mayHaveMadeSomething,
            daemon: daemon.client)
        switch try await trial.run() {
        case .clicked: try SetupLine.print("clicked", url)
        case .asked(let reason): try SetupLine.print("opened", "\(url), without a click: \(reason)")
        case .declined: return try SetupLine.print("declined", "\(url): you answered no, so nothing was done")
        case .skipped(let reason): try SetupLine.print("not tried", "\(url): \(reason)")
        }
        guard let effect = trial.effect, case .success(let items) = try await daemon.client.open(effect).response else {
            return
        }
        try SetupLine.print("result", "'xcallback open \(effect.shellWord)' prints:")
        for item in items {
            let text = item.value.map { "\(item.name)=\($0)" } ?? item.name
            for line in text.withIndentedLines.split(separator: "\n") { try SetupLine.print("", String(line)) }
        }
    }

    private func finish(isServed: Bool) throws(Failure) {
        if ManagerDisplay.isMissing {
            try SetupLine.print(
                "no display", "your service manager has none, so programs and questions cannot show windows")
            try SetupLine.print("", "now: \(ManagerDisplay.command)")
            try SetupLine.print("", "and \(ManagerDisplay.advice)")
        }
        if isServed {
            let commands = example.comment.commands.prefix(2)
            try Terminal.print("\(example.name) is set up.\(commands.isEmpty ? "" : " Next:")")
            for command in commands { try Terminal.print("  \(command)") }
        } else {
            try Terminal.print("\(example.name) is set up, but no daemon runs. Next:\n  xcallbackd &")
            try Terminal.print("  xcallback setup \(example.name)")
        }
        try Terminal.print("Undo with: xcallback setup --undo \(example.name)")
    }
}
