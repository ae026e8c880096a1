import Glibc
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter

/// What a folder would set up, shown before anything is written.
struct FolderReview {
    /// The keys of routes that stay off until an answer names them.
    private static let keys: Set = ["public", "agent", "allow-code"]

    let folder: ActionFolder
    /// What was set up under the name before.
    let old: SetupRecord.Entry?
    /// The action; after the answer, with what was not allowed switched off.
    private(set) var example: Example
    /// The schemes to register.
    private(set) var schemes: [String]
    private let folders: UserFolders
    private let configuration: RouterConfiguration
    /// What an answer can name.
    private let offers: [String]

    /// Reads a folder.
    ///
    /// - Throws: ``Failure``, or ``ConfigurationError`` with its faults.
    init(of path: String, in folders: UserFolders) throws {
        self.folders = folders
        folder = try ActionFolder(path)
        let example = try Example(in: folder)
        let configuration = try example.configuration(in: folder.path)
        let old = try SetupRecord(in: folders)[example.name]
        (self.example, self.old, self.configuration) = (example, old, configuration)
        schemes = configuration.pipeline.schemes.map(\.name)
        let found = Self.keys.filter { !example.text.switches(among: [$0]).isEmpty }
        offers = found.sorted() + (DesktopEntry.webSchemes.isDisjoint(with: schemes) ? [] : ["http"])
        // A file of something else would be masked.
        for file in existingDropIns(named: example.name) where old?.source == nil || old?.has(file) != true {
            throw Failure("'\(file)' has the name \(example.name), too; nothing was changed\nrename one of them")
        }
    }

    /// Shows everything, and asks.
    ///
    /// - Parameter words: The hash of an earlier review, and what to allow; nil to ask.
    /// - Throws: ``Failure`` unless the user agrees, or ``ConfigurationError``.
    mutating func agree(to words: [String]?) throws {
        if words == nil { try Terminal.print(text()) }
        try refuseConflict()
        let answer = try words ?? ask()
        // The user had time to change a file.
        try refuseConflict()
        guard answer.first == folder.hash else {
            let advice = "review them: xcallback setup \(folder.path.shellWord)"
            throw Failure(
                "the hash of the files is \(folder.hash), not that of the review; nothing was changed\n\(advice)")
        }
        let allowed = Set(answer.dropFirst())
        if let word = allowed.subtracting(offers).sorted().first {
            let choice = offers.isEmpty ? "no word" : offers.alternatives
            throw Failure(.usage, "expected \(choice), found '\(word.withVisibleControls)'; nothing was changed")
        }
        if !allowed.contains("http") { schemes.removeAll(where: DesktopEntry.webSchemes.contains) }
        example.text = try example.text.switchingOff(Self.keys.subtracting(allowed))
        let isLoaded = (try? example.configuration(in: folder.path)) != nil
        if !isLoaded, offers.contains("allow-code"), !allowed.contains("allow-code") {
            let problem = "a program takes code from requests, which was not allowed; nothing was changed"
            throw Failure(.configuration, "\(problem)\nif you agree: add 'allow-code' to the answer")
        }
        let routes = try example.configuration(in: folder.path).routes
        guard allowed.contains("public") || !routes.contains(where: \.isPublic),
            allowed.contains("agent") || !routes.contains(where: { $0.agentName != nil }),
            example.text.switches(among: Self.keys.subtracting(allowed)).isEmpty
        else { throw Failure("cannot switch off what was not allowed; nothing was changed") }
    }

    private func refuseConflict() throws(Failure) {
        guard let (problem, advice) = old?.conflict else { return }
        throw Failure("\(problem); nothing was changed\n\(advice)")
    }

    /// Returns the hash, and the words of the answer.
    private func ask() throws -> [String] {
        let words = offers.joined(separator: " ")
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            let command = "xcallback setup \(folder.path.shellWord) --yes \(folder.hash)"
            let advice = "if you agree: \(command)\(offers.isEmpty ? "" : "\nto allow more, add: \(words)")"
            throw Failure(.usage, "cannot ask without a terminal; nothing was changed\n\(advice)")
        }
        while true {
            let more = offers.isEmpty ? "" : " (to allow more, add: \(words))"
            let question = "Set up? Type 'yes'\(more), 'v' to see the files, or 'no' [no] "
            _ = Terminal.write(Array(question.utf8), to: STDOUT_FILENO)
            let answer = (readLine() ?? "").lowercased().split(separator: " ").map(String.init)
            switch answer.first {
            case "y", "yes": return [folder.hash] + answer.dropFirst()
            case "v":
                for file in folder.files {
                    try Terminal.print("--- \(file.path)\n\((file.text ?? "(not text)").withVisibleLines)")
                }
            case nil, "n", "no": throw Failure(.cancelled, "nothing was changed")
            default: continue
            }
        }
    }

    private func text() throws -> String {
        """
        \(example.name), from \(folder.path.withVisibleControls). Nothing is written yet.

        \(configuration.routes.table())

        \(TextTable(facts).text)
        \(try old.map { try difference(from: $0) } ?? "")
        Off unless you allow it: links (public), assistants (agent), code from requests (allow-code), schemes of web
        pages (http). 'confirm' asks you. Whether other users may start an action, 'policies' in config.yaml decides.
        The programs run as you, and nobody has checked that they are safe.
        hash \(folder.hash)
        """
    }

    /// What the actions run, bring, take and need.
    private var facts: [[String]] {
        let acting = Registry.handlerNames.filter { $0 != "respond" }
        let keys = Self.keys.union(acting + ["env", "cwd", "start", "icon", "menu"])
        let uses = example.text.members { parent, member in
            keys.contains(member.key) || member.key == "title" && !parent.has("route") && !member.value.isMapping
        }
        let files = folder.files.map { file in
            let start = file.text.map { String($0.prefix { !$0.isNewline }) } ?? "(not text)"
            return [file.isProgram ? "program" : "file", "\(file.path), \(file.bytes.count) bytes", start]
        }
        let opened = Set((try? DesktopFolders().readEntry())?.schemes ?? []).intersection(schemes)
        let isOpen = !opened.isDisjoint(with: DesktopEntry.webSchemes)
        let rows =
            (isOpen ? [["http", "now", "xcallback opens links of web pages already: 'public' allows them"]] : [])
            + uses.map { [$0.key, "line \($0.place.line)", $0.value.words] }
            + files + schemes.map { ["scheme", "now", SchemeOwner(asking: $0).title] }
            + configuration.warnings.warnings.map { ["warning", "line \($0.place.line)", $0.message] }
            + ["keeps", "needs"].flatMap { word in example.comment.values(word).map { [word, "", $0] } }
        return rows.map { $0.map { $0.count > 200 ? "\($0.prefix(200))…" : $0 } }
    }

    /// Returns the lines that differ from what is set up.
    private func difference(from old: SetupRecord.Entry) throws -> String {
        guard ToolRun.isInstalled("diff") else {
            return "\nIt was set up from \(old.source ?? ""). No diff program: all files are shown by 'v'.\n"
        }
        var agreed = example
        agreed.text = try example.text.switchingOff(Self.keys)
        let new = agreed.files(in: folders)
        var text = ""
        for path in Set(old.files.map(\.path) + new.map(\.path)).sorted() {
            let bytes = new.first { $0.path == path }?.bytes ?? []
            text += try output(of: ["diff", "-Nau", "-L", path, "-L", path, "--", path], on: bytes)
        }
        return
            "\nChanges since it was set up from \(old.source ?? ""):\n\(text.isEmpty ? "none\n" : text.withVisibleLines)"
    }
}
