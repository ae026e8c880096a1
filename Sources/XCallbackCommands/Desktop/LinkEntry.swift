import Glibc
import XCallbackClient
import XCallbackLinux
import XCallbackWire

/// A desktop entry of any application, and what keeps it from opening links.
struct LinkEntry {
    /// Why an entry does not open links, and the remedy.
    struct Problem {
        /// The end of a sentence whose subject is the entry.
        let text: String
        /// The changes of its file, as commands of sed.
        var edits: [String] = []
        /// A command instead, or one that comes before them.
        var command: String?
        var advice: String?
        /// Whether only another program can be the remedy.
        var isFinal: Bool { edits.isEmpty && command == nil && advice == nil }
    }

    /// The name by which lists of default applications know it.
    let name: String
    let path: String
    private let text: String
    private let lines: [Substring]

    /// Reads an entry; nil if it cannot be read.
    private init?(named name: String, at path: String) {
        guard let text = try? UserFile(path: path).read() else { return nil }
        (self.name, self.path, self.text) = (name, path, text)
        lines = text.split(whereSeparator: \.isNewline).drop { $0 != "[Desktop Entry]" }.dropFirst().prefix {
            !$0.hasPrefix("[")
        }
    }

    /// All entries of folders, by precedence; those in a folder's folder have its name before theirs.
    static func all(in folders: [String]) -> [LinkEntry] {
        var names: Set<String> = []
        return folders.flatMap { folder in
            visibleEntries(of: folder).flatMap { name -> [LinkEntry] in
                let isEntry = name.hasSuffix(".desktop")
                let files = isEntry ? [name] : visibleEntries(of: "\(folder)/\(name)").map { "\(name)/\($0)" }
                return files.filter { $0.hasSuffix(".desktop") }.compactMap { file in
                    let name = file.replacing(each: "/", with: "-")
                    return names.insert(name).inserted ? LinkEntry(named: name, at: "\(folder)/\(file)") : nil
                }
            }
        }
    }

    /// Whether it lists a type.
    func has(_ type: String) -> Bool {
        lines.value(of: "MimeType")?.split(separator: ";").contains { $0 == type } ?? false
    }

    /// Whether it names a type anywhere, in any case.
    func mentions(_ type: String) -> Bool {
        let scheme = type.drop { $0 != "/" }.dropFirst()
        return text.lowercased().contains(text: type) || lines.value(of: "MimeType").map { $0 == scheme } ?? false
    }

    private var exec: String { lines.value(of: "Exec").map(String.init) ?? "" }
    private var words: [String] { Browser.words(of: exec[...]) }

    /// What it starts for a link, for people.
    func command(opening link: String) -> String {
        (Browser(named: name, text)?.command(opening: link) ?? []).map(\.shellWord).joined(separator: " ")
    }

    /// The first reason why it does not open links; nil if there is none.
    var problem: Problem? {
        if text.utf8.contains(13) {
            return Problem(text: "has the line ends of Windows, which xdg-open takes as text", edits: [#"s/\r$//"#])
        }
        if lines.isEmpty {
            let edits = ["1i [Desktop Entry]", #"/^\[desktop entry\]/Id"#]
            return Problem(text: "does not begin with '[Desktop Entry]'", edits: edits)
        }
        if lines.value(of: "Type") != "Application" {
            let edits = ["/^Type=/d", #"/^\[Desktop Entry\]/a Type=Application"#]
            return Problem(text: "is ignored: it lacks 'Type=Application'", edits: edits)
        }
        if lines.value(of: "Hidden") == "true" {
            // Without a program, it only hides the entry of all users.
            let (edits, command) = exec.isEmpty ? ([], "rm \(path.shellWord)") : (["/^Hidden=/d"], nil)
            let text = "is ignored: 'Hidden=true' means that it is deleted"
            return Problem(text: text, edits: edits, command: command)
        }
        return programProblem ?? fieldProblem ?? startProblem
    }

    /// The position of the first `Exec`, which is not that of an additional action.
    private static func edit(_ command: String) -> String { "0,/^Exec=/\(command)" }

    /// A program that does not exist, or cannot be run.
    private var programProblem: Problem? {
        let words = words.drop { $0.hasSuffix("env") || $0.contains("=") }
        guard let program = words.first else { return Problem(text: "starts no program: it has no 'Exec'") }
        guard Self.isProgram(program) else { return Self.missing(program) }
        if let tried = lines.value(of: "TryExec"), !Self.isProgram(String(tried)) {
            return Problem(text: "is ignored: its 'TryExec', \(tried), does not exist", edits: ["/^TryExec=/d"])
        }
        guard program.hasSuffix("flatpak"), let run = words.firstIndex(of: "run"),
            let id = words[run...].dropFirst().first(where: { !$0.hasPrefix("-") })
        else { return nil }
        let own = (try? DesktopFolders.folder("XDG_DATA_HOME", orIn: ".local/share")) ?? ""
        let isInstalled = ["/var/lib", own].contains { access("\($0)/flatpak/app/\(id)", F_OK) == 0 }
        return isInstalled ? nil : Problem(text: "starts the Flatpak \(id), which is not installed")
    }

    private static func isProgram(_ name: String) -> Bool {
        name.contains("/") ? ToolRun.isExecutable(name) : ToolRun.isInstalled(name)
    }

    private static func missing(_ program: String) -> Problem {
        if program.hasPrefix("/"), access(program, F_OK) == 0 {
            return Problem(text: "starts \(program), which is not executable", command: "chmod +x \(program.shellWord)")
        }
        let home = variable("HOME") ?? ""
        let base = program.split(separator: "/").last.map(String.init) ?? program
        let folders = (variable("PATH") ?? "").split(separator: ":").map(String.init)
        let more = ["\(home)/.local/bin", "\(home)/bin", "/usr/local/bin", "/usr/games", "/snap/bin"]
        let places = [program.replacing(each: "~/", with: "\(home)/").replacing(each: "$HOME/", with: "\(home)/")]
        let found = (places + (folders + more).map { "\($0)/\(base)" }).first {
            $0.hasPrefix("/") && ToolRun.isExecutable($0)
        }
        guard let found, let word = DesktopEntry.word(for: found),
            program.hasOnlyAlphanumerics(and: "/._-+,:@ ~$")
        else { return Problem(text: "starts \(program), which does not exist") }
        return Problem(
            text: "starts \(program), which the desktop does not find; \(found) exists",
            edits: [edit(##"s#"\?\##(program)"\?#\##(word)#"##)])
    }

    /// A link that does not reach the program.
    private var fieldProblem: Problem? {
        if !exec.contains(text: "%u"), !exec.contains(text: "%U") {
            let isForFiles = exec.contains(text: "%f") || exec.contains(text: "%F")
            return Problem(
                text: "starts its program without the link: its 'Exec' has "
                    + (isForFiles ? "%f, which is for files, in place of %u" : "no %u"),
                edits: isForFiles
                    ? [Self.edit("s/@@ %[fF]/@@u %u/"), Self.edit("s/%[fF]/%u/")] : [Self.edit("s/^Exec=.*/& %u/")])
        }
        if words.contains(where: { ["%d", "%D", "%n", "%N", "%v", "%m"].contains($0) }) {
            return Problem(
                text: "has a field code in 'Exec' that is no longer valid", edits: [Self.edit("s/ *%[dDnNvm]//g")])
        }
        if words.contains(where: { $0.contains(text: "%u") && $0.contains(" ") }) {
            return Problem(
                text: "puts the link into code of 'Exec', where a web page could add commands",
                advice: "write a script, and give it %u as a word of its own")
        }
        if ["'", "\""].contains(where: { exec.contains(text: "\($0)%") }) {
            return Problem(
                text: "has %u in quotes, which openers take as text",
                edits: [Self.edit(#"s/["']\(%[uU]\)["']/\1/"#)])
        }
        return nil
    }

    /// What only some openers cannot do.
    private var startProblem: Problem? {
        let isOfBus = lines.value(of: "DBusActivatable") == "true"
        let service = "dbus-1/services/\(name.dropLast(".desktop".utf8.count)).service"
        if isOfBus, let folders = try? DesktopFolders(),
            !([folders.applications] + folders.sharedApplications).contains(where: {
                access("\($0.parent)/\(service)", F_OK) == 0
            })
        {
            return Problem(
                text: "has 'DBusActivatable=true', but no \(service) exists",
                edits: ["s/^DBusActivatable=.*/DBusActivatable=false/"])
        }
        guard DesktopSession.current.xdgOpen == .asksXdgMime else { return nil }
        if lines.value(of: "Terminal") == "true", !ToolRun.isInstalled("x-terminal-emulator") {
            let advice = installCommand("xterm").map { "run as root: \($0)" } ?? installAdvice("xterm")
            return Problem(text: "needs a terminal, and none is installed", advice: advice)
        }
        let isGlued = words.contains { $0.utf8.count > 2 && ($0.hasSuffix("%u") || $0.hasSuffix("%U")) }
        return isGlued || exec.contains("\"") || exec.contains("'") ? wrapped : nil
    }

    /// The problem of quotes, which xdg-open does not read; a script has the words instead.
    private var wrapped: Problem {
        let words = words.filter { !["%i", "%c", "%k"].contains($0) }.map { word in
            let isLink = word.hasSuffix("%u") || word.hasSuffix("%U")
            let text = String(isLink ? word.dropLast(2) : word[...])
            return (text.isEmpty ? "" : text.shellWord) + (isLink ? "\"$1\"" : "")
        }
        let folder = "\(variable("HOME") ?? "")/.local/bin"
        let script = "\(folder)/open-\(String(name.dropLast(".desktop".utf8.count)).replacing(each: " ", with: "-"))"
        let text = "has quotes or parts of words in 'Exec' that xdg-open does not read"
        guard !exec.contains("'"), DesktopEntry.word(for: script) == script else {
            return Problem(text: text, advice: "write a script, and give it %u as a word of its own")
        }
        let line = "exec \(words.joined(separator: " "))".shellWord
        return Problem(
            text: text, edits: [Self.edit("s#^Exec=.*#Exec=\(script) %u#")],
            command: "mkdir -p \(folder.shellWord) && printf '%s\\n' '#!/bin/sh' \(line) >\(script.shellWord) && "
                + "chmod +x \(script.shellWord)")
    }
}
