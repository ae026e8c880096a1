import Glibc
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackWire

/// A desktop entry of any application, and what keeps it from opening links.
struct LinkEntry {
    /// Why an entry does not open links, and the remedy: changes, a command, or both; else another application.
    struct Problem {
        /// The end of a sentence whose subject is the entry.
        let text: String
        /// The changes of the user's copy, as commands of sed; empty for a copy alone, nil for none.
        let edits: [String]?
        /// The command, which comes before the changes.
        let command: String?
        let advice: String?

        init(_ text: String, _ edits: [String]? = nil, after command: String? = nil, advice: String? = nil) {
            (self.text, self.edits, self.command, self.advice) = (text, edits, command, advice)
        }
    }

    /// The name by which lists of default applications know it.
    let name: String
    let path: String
    private let text: String
    private let lines: [Substring]

    /// Reads an entry; one that cannot be read has no text.
    private init(named name: String, at path: String) {
        (self.name, self.path, text) = (name, path, (try? UserFile(path: path).read()) ?? "")
        let group = text.split(whereSeparator: \.isNewline).drop { $0 != "[Desktop Entry]" }
        lines = Array(group.dropFirst().prefix { !$0.hasPrefix("[") })
    }

    /// Returns all entries of folders, by precedence, without those that an entry of the same name hides.
    static func all(in folders: [String]) -> [LinkEntry] {
        let found = folders.flatMap { folder in
            files(in: folder).map { LinkEntry(named: $0.replacing(each: "/", with: "-"), at: "\(folder)/\($0)") }
        }
        var names: Set<String> = []
        return (found.filter { !$0.isPassedOver } + found.filter(\.isPassedOver)).filter {
            names.insert($0.name).inserted
        }
    }

    /// Returns the paths of the entries in a folder, and in the folders there.
    private static func files(in folder: String) -> [String] {
        visibleEntries(of: folder).flatMap { name in
            if name.hasSuffix(".desktop") { return [name] }
            var byte = CChar()
            // A link can lead to its own folder.
            let isLink = readlink("\(folder)/\(name)", &byte, 1) >= 0
            return isLink ? [] : files(in: "\(folder)/\(name)").map { "\(name)/\($0)" }
        }
    }

    /// Whether it lists a type.
    func has(_ type: String) -> Bool { value("MimeType").split(separator: ";").contains { $0 == type } }

    /// Whether it names a type anywhere, in any case.
    func mentions(_ type: String) -> Bool {
        // Another scheme can begin with this one.
        let words = text.lowercased().split { !"abcdefghijklmnopqrstuvwxyz0123456789+.-/".contains($0) }
        return words.contains { $0 == type } || type.hasSuffix("/\(value("MimeType"))")
    }

    /// Whether the name, the title or the program of an application is that of a scheme.
    func isNamed(_ scheme: String) -> Bool {
        let program = words.first.map { $0.fileName } ?? ""
        return [path.fileName, "\(value("Name")).desktop", "\(program).desktop"].contains {
            ".\($0.lowercased())".hasSuffix(".\(scheme).desktop")
        }
    }

    /// Whether it has a key.
    func hasKey(_ key: String) -> Bool { lines.value(of: key) != nil }

    /// Its name in all languages.
    var titles: [Substring] {
        lines.filter { $0.hasPrefix("Name=") || $0.hasPrefix("Name[") }.map { $0.drop { $0 != "=" }.dropFirst() }
    }

    private func value(_ key: String) -> String { lines.reversed().value(of: key).map(String.init) ?? "" }
    private var exec: String { value("Exec") }
    private var words: [String] { Browser.words(of: exec[...]) }

    /// What it starts for a link, quoted for a shell.
    func command(opening link: String) -> String {
        // Each opener reads these in its own way.
        if ["$", "`", "\\", "%k", "%i"].contains(where: exec.contains(text:)) {
            return "\(exec), with the link for %u"
        }
        return (Browser(named: name, text)?.command(opening: link) ?? []).map(\.shellWord).joined(separator: " ")
    }

    /// The first reason why it does not open links; nil if there is none.
    var problem: Problem? {
        let target = realPath(path) == nil ? "is a link to a file that does not exist" : "cannot be read"
        let causes: [(Bool, Problem)] = [
            (!isReadable, .init(target, after: realPath(path).map { "chmod u+r \($0.shellWord)" })),
            (text.utf8.contains(13), .init("has the line ends of Windows", [#"s/\r$//"#])),
            (lines.isEmpty, .init("lacks '[Desktop Entry]'", ["1i [Desktop Entry]", #"/\[desktop entry\] *$/Id"#])),
            (isSpaced, .init("has blanks before '=', which xdg-open takes as text", [#"s/^\([A-Za-z]*\) *= */\1=/"#])),
            (value("Hidden") == "true", .init("is ignored: 'Hidden=true' means that it is deleted", ["/^Hidden=/d"])),
            (value("Type") != "Application", .init("is ignored: it lacks 'Type=Application'", Self.typeChanges)),
        ]
        return causes.first(where: \.0)?.1 ?? programProblem ?? fieldProblem ?? startProblem
    }

    private var isReadable: Bool { access(path, R_OK) == 0 }
    private var lacksTried: Bool { !value("TryExec").isEmpty && !Self.isProgram(value("TryExec")) }
    /// Whether openers go on to an entry of the same name.
    private var isPassedOver: Bool { !isReadable || lacksTried }

    private var isSpaced: Bool {
        ["Exec ", "MimeType ", "Type "].contains { key in lines.contains { $0.hasPrefix(key) } }
    }
    private static let typeChanges = ["/^Type=/d", #"/^\[Desktop Entry\]/a Type=Application"#]
    private static let scriptAdvice =
        "write a script that starts the program with \"$1\", and 'Exec=SCRIPT %u' in ~/.local/share/applications/NAME"

    /// Returns a change of `Exec`, but not of those of additional actions.
    private static func change(_ command: String) -> String {
        #"/^\[Desktop Entry\]/,/^\[Desktop Action/{/^Exec=/"# + command + "}"
    }

    /// A program that does not exist, or cannot be run.
    private var programProblem: Problem? {
        let words = words.drop { $0 == "env" || $0.hasSuffix("/env") || $0.contains("=") }
        guard let program = words.first else { return Problem("starts no program: it has no 'Exec'") }
        guard Self.isProgram(program) else { return Self.missing(program) }
        if lacksTried {
            return Problem("is ignored: its 'TryExec', \(value("TryExec")), does not exist", ["/^TryExec=/d"])
        }
        let folder = value("Path")
        if !folder.isEmpty, access(folder, X_OK) != 0 {
            return Problem("starts in \(folder), which does not exist", ["/^Path=/d"])
        }
        guard program.hasSuffix("flatpak"), words.contains("run"),
            let id = words.drop(while: { $0 != "run" }).dropFirst().first(where: { !$0.hasPrefix("-") })
        else { return nil }
        let own = (try? DesktopFolders.folder("XDG_DATA_HOME", orIn: ".local/share")) ?? ""
        let isInstalled = ["/var/lib", own].contains { access("\($0)/flatpak/app/\(id)", F_OK) == 0 }
        return isInstalled ? nil : Problem("starts the Flatpak \(id), which is not installed")
    }

    private static func isProgram(_ name: String) -> Bool {
        name.contains("/") ? name.hasPrefix("/") && ToolRun.isExecutable(name) : ToolRun.isInstalled(name)
    }

    private static func missing(_ program: String) -> Problem {
        if program.hasPrefix("/"), access(program, F_OK) == 0 {
            return Problem("starts \(program), which is not executable", after: "chmod +x \(program.shellWord)")
        }
        let home = variable("HOME") ?? ""
        let place = ["~/", "$HOME/"].reduce(program) { $0.replacing(each: $1, with: "\(home)/") }
        let base = program.fileName
        // The desktop may have fewer folders in its PATH than a terminal.
        let more = [".local/bin", "bin", "Applications", "Downloads"].map { "\(home)/\($0)" }
        let path = (variable("PATH") ?? "").split(separator: ":").map(String.init)
        // The name of an AppImage has its version.
        let stem = base.hasSuffix(".AppImage") ? base.prefix(1) + base.dropFirst().prefix { !$0.isNumber } : "/"
        let places = ([program.parent] + path + more + ["/usr/local/bin", "/usr/games", "/snap/bin"]).flatMap {
            folder in
            let images = visibleEntries(of: folder).filter { $0.hasPrefix(stem) && $0.hasSuffix(".AppImage") }
            return ([base] + images).map { "\(folder)/\($0)" }
        }
        let found = ([place] + places).first { $0.hasPrefix("/") && ToolRun.isExecutable($0) }
        guard let found, let word = DesktopEntry.word(for: found), program.hasOnlyAlphanumerics(and: "/._-+,:@ ~$")
        else { return Problem("starts \(program), which does not exist") }
        // Another program can have the name of one that is gone.
        let question =
            program.contains("/") && found != place ? "does not exist. Is it now" : "the desktop does not find. Is it"
        return Problem(
            "starts \(program), which \(question) \(found)?",
            [change(##"s#"\?\##(program)"\?#\##(word)#"##)])
    }

    /// A link that does not reach the program.
    private var fieldProblem: Problem? {
        if !exec.contains(text: "%u"), !exec.contains(text: "%U") {
            let isForFiles = exec.contains(text: "%f") || exec.contains(text: "%F")
            let reason = isForFiles ? "%f, which is for files, in place of %u" : "no %u"
            return Problem(
                "starts its program without the link: its 'Exec' has \(reason)",
                (isForFiles ? ["s/@@ %[fF]/@@u %u/", "s/%[fF]/%u/"] : ["s/^Exec=.*/& %u/"]).map(Self.change))
        }
        // gio quotes it.
        let isQuoted = DesktopSession.current == .asksGio && !exec.contains(text: "'%")
        if !isQuoted, words.contains(where: { $0.lowercased().contains(text: "%u") && $0.contains(" ") }) {
            return Problem(
                "puts the link into code of 'Exec': not all openers read it, and a web page could add commands",
                advice: Self.scriptAdvice)
        }
        let changes = [
            (["%d", "%D", "%n", "%N", "%v", "%m"], "a field code that is no longer valid", "s/ *%[dDnNvm]//g"),
            (["'%u", "'%U", "\"%u", "\"%U"], "%u in quotes, which openers take as text", #"s/["']\(%[uU]\)["']/\1/"#),
        ]
        let change = changes.first { codes, _, _ in codes.contains { exec.contains(text: $0) } }
        return change.map { Problem("has \($0.1) in 'Exec'", [Self.change($0.2)]) }
    }

    /// What only some openers cannot do.
    private var startProblem: Problem? {
        let service = "dbus-1/services/\(name.dropLast(".desktop".utf8.count)).service"
        let folders = (try? DesktopFolders()).map { [$0.applications] + $0.sharedApplications } ?? []
        if value("DBusActivatable") == "true",
            !folders.contains(where: { access("\($0.parent)/\(service)", F_OK) == 0 })
        {
            return Problem(
                "has 'DBusActivatable=true', but no \(service) exists",
                ["s/^DBusActivatable=.*/DBusActivatable=false/"])
        }
        guard DesktopSession.current == .asksXdgMime else { return nil }
        if value("Terminal") == "true", !ToolRun.isInstalled("x-terminal-emulator") {
            return Problem("needs a terminal, and none is installed", advice: installAdvice("xterm"))
        }
        let isGlued = words.contains { $0.utf8.count > 2 && ($0.hasSuffix("%u") || $0.hasSuffix("%U")) }
        guard isGlued || exec.contains("\"") else { return nil }
        return Problem("has quotes or parts of words in 'Exec' that xdg-open does not read", advice: Self.scriptAdvice)
    }
}
