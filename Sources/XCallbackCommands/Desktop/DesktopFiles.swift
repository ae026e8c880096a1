import Glibc
import XCallbackConfiguration
import XCallbackLinux
import XCallbackWire

/// The locations of the user's desktop files (XDG Base Directory Specification).
struct DesktopFolders {
    /// The user's desktop entries.
    let applications: String
    /// The entry that the command writes.
    let entry: UserFile
    /// The user's choices of applications for types.
    let defaults: UserFile
    /// The entries of all users; the first applies to users without one.
    let sharedEntries: [UserFile]
    /// The folders of all users' desktop entries, by precedence.
    let sharedApplications: [String]

    /// Determines the folders of the user who runs the command.
    ///
    /// - Throws: ``Failure`` if they cannot be determined.
    init() throws(Failure) {
        let own = try Self.folder("XDG_DATA_HOME", orIn: ".local/share")
        applications = "\(own)/applications"
        entry = UserFile(path: "\(applications)/\(DesktopEntry.name)")
        let folders = (variable("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":")
        sharedApplications = folders.map { "\($0)/applications" }
        sharedEntries = sharedApplications.map { UserFile(path: "\($0)/\(DesktopEntry.name)") }
        defaults = UserFile(path: "\(try Self.folder("XDG_CONFIG_HOME", orIn: ".config"))/mimeapps.list")
    }

    /// Reads the entry that the command has written; nil if missing.
    ///
    /// - Throws: ``Failure`` if it cannot be read, or has another author.
    func readEntry() throws(Failure) -> DesktopEntry? {
        guard let text = try entry.read() else { return nil }
        guard let written = DesktopEntry(text) else {
            throw Failure(
                "'\(entry.path)' was not written by 'xcallback register', and was not changed\nmove it away first")
        }
        return written
    }

    /// Returns a folder that an environment variable names.
    ///
    /// - Parameters:
    ///   - name: The variable.
    ///   - place: The default, relative to the user's home.
    /// - Returns: Its path.
    /// - Throws: ``Failure`` if it cannot be determined.
    static func folder(_ name: String, orIn place: String) throws(Failure) -> String {
        // The specification requires that relative paths are ignored.
        if let folder = variable(name), folder.hasPrefix("/") { return folder.withoutFinalSlashes }
        guard let home = variable("HOME") else {
            throw Failure("cannot find the user's files: neither $\(name) nor $HOME is set")
        }
        guard home.hasPrefix("/") else {
            throw Failure(
                "cannot find the user's files: $HOME is '\(home.withVisibleControls)', not an absolute path")
        }
        return "\(home.withoutFinalSlashes)/\(place)"
    }
}

extension DesktopFolders {
    /// The path of an application's desktop entry; nil if it is not installed.
    func path(of entry: String) -> String? {
        ([applications] + sharedApplications).map { "\($0)/\(entry)" }.first { access($0, F_OK) == 0 }
    }

    /// The name of an application in a sentence, with the path of its desktop entry.
    func title(of entry: String) -> String {
        guard let path = path(of: entry) else { return entry }
        return Browser(named: entry).map { "\($0.title) (\(path))" } ?? path
    }

    /// Whether what the command writes takes precedence over a list of default applications.
    func canOverride(_ list: String) -> Bool {
        list == defaults.path || list.parent != defaults.path.parent
    }

    /// The list of default applications that decides a scheme; nil if none has it.
    func list(deciding scheme: String) -> String? {
        let desktops = (variable("XDG_CURRENT_DESKTOP") ?? "").lowercased().split(separator: ":")
        let names = desktops.map { "\($0)-mimeapps.list" } + ["mimeapps.list"]
        let shared = (variable("XDG_CONFIG_DIRS") ?? "/etc/xdg").split(separator: ":").map(String.init)
        let places = [defaults.path.parent] + shared + [applications] + sharedApplications
        return places.flatMap { place in names.map { "\(place)/\($0)" } }.first { path in
            let text = (try? UserFile(path: path).read()) ?? ""
            return MimeDefaults(text).hasDefault(for: DesktopEntry.type(of: scheme))
        }
    }
}

/// The user's desktop entry, through which the desktop passes URLs to the command.
///
/// One entry covers all schemes. A comment in it distinguishes it from entries of other authors.
package struct DesktopEntry: Hashable {
    /// The name of its file, and of the file for all users.
    package static let name = "org.xcallback.Router.desktop"
    /// The comment that identifies entries of the command.
    private static let mark = "# Written by 'xcallback register'; 'xcallback unregister' takes it back."
    private static let typePrefix = "x-scheme-handler/"
    private static let keptKey = "X-XCallback-Kept"
    /// The schemes of web pages, whose handlers are browsers.
    package static let webSchemes: Set = ["http", "https"]
    /// The types of files that browsers declare, besides their schemes.
    package static let pageTypes = ["text/html", "application/xhtml+xml"]

    /// The path of the command.
    package let program: String
    /// The schemes, in lower case, sorted.
    package let schemes: [String]
    /// The entries of applications that were written into the user's choices to keep a scheme, by scheme.
    ///
    /// The file contains them so that they can be undone.
    package var keptDefaults: [String: String] = [:]
    /// The desktop entry of the browser that opens what the daemon does not; nil if the schemes of web pages are not listed.
    package var browser: String?

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - program: The path of the command.
    ///   - schemes: The schemes, in lower case.
    package init(program: String, schemes: [String]) {
        self.program = program
        self.schemes = Set(schemes).sorted()
    }

    /// Parses an entry that the command has written; nil for any other.
    ///
    /// - Parameter text: The contents of the file.
    package init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.contains(where: { $0 == Self.mark }) else { return nil }
        let types = lines.value(of: "MimeType")?.split(separator: ";") ?? []
        let words = lines.value(of: "Exec").map { Browser.words(of: $0) } ?? []
        self.init(
            program: words.first ?? "",
            schemes: types.filter { $0.hasPrefix(Self.typePrefix) }.map { String($0.dropFirst(Self.typePrefix.count)) })
        for item in lines.value(of: Self.keptKey)?.split(separator: ";") ?? [] {
            let parts = item.split(separator: ":", maxSplits: 1).map(String.init)
            if parts.count == 2 { keptDefaults[parts[0]] = parts[1] }
        }
        browser = words.firstIndex(of: "--browser").flatMap { words.dropFirst($0 + 1).first }
    }

    /// Returns the MIME type of a scheme; that of files stays as it is.
    package static func type(of scheme: String) -> String { scheme.contains("/") ? scheme : typePrefix + scheme }

    /// Returns a path as an entry holds it; nil if none can.
    ///
    /// Quotes are only for blanks, because desktops without a tool of their own understand none.
    package static func word(for program: String) -> String? {
        let isPlain = program.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII ? String(scalar).hasOnlyAlphanumerics(and: "/._-+,:@ ") : scalar.properties.isAlphabetic
        }
        guard isPlain else { return nil }
        return program.contains(" ") ? "\"\(program)\"" : program
    }

    /// Whether the name of another entry can be written into this one verbatim.
    package static func canKeep(_ name: String) -> Bool {
        !name.unicodeScalars.contains { ";:=\\".unicodeScalars.contains($0) || $0.value < 32 }
    }

    /// The contents of the file.
    ///
    /// The URL is a separate word after `--`: whatever it contains, it is one argument and not an option. Desktops offer it
    /// as a browser if it stands in for one.
    package var text: String {
        """
        [Desktop Entry]
        \(Self.mark)
        Type=Application
        Name=\(browser == nil ? "xcallback" : "Link chooser (xcallback)")
        Comment=\(browser == nil ? "Answers URLs of applications and scripts" : "Opens each link in the right browser")
        Exec=\(Self.word(for: program) ?? program) handle \(browser.map { "--browser \($0) " } ?? "")-- %u
        \(browser == nil ? "NoDisplay=true" : "Categories=Network;WebBrowser;")
        Terminal=false
        StartupNotify=false
        Keywords=url;link;callback;automation;
        MimeType=\(types.map { "\($0);" }.joined())
        \(keptLine)
        """
    }

    private var types: [String] { schemes.map { Self.type(of: $0) } + (browser == nil ? [] : Self.pageTypes) }

    private var keptLine: String {
        if keptDefaults.isEmpty { return "" }
        let items = keptDefaults.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value);" }
        return "\(Self.keptKey)=\(items.joined())\n"
    }
}

/// The user's choices of applications for types: the text of a `mimeapps.list`.
///
/// Changes leave every other byte intact, but end the last line. ``drop(_:for:)`` removes what ``prefer(_:for:)`` has inserted before the name of
/// another application, so that the text is as before.
package struct MimeDefaults: Hashable {
    private static let section = "[Default Applications]"

    private var lines: [String]

    /// Parses the text of a file; empty if there is no file.
    package init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // The text after the last line ending.
        if lines.last == "" { lines.removeLast() }
    }

    /// The contents of the file; empty if nothing remains.
    package var text: String { lines.map { "\($0)\n" }.joined() }

    /// Whether an application is listed for a type.
    ///
    /// - Parameters:
    ///   - entry: The name of its desktop entry.
    ///   - type: The MIME type.
    /// - Returns: Whether it is listed.
    package func contains(_ entry: String, for type: String) -> Bool {
        entries(for: type).contains(entry)
    }

    /// The applications that are listed for a type.
    package func entries(for type: String) -> [String] {
        index(of: type).map { value(of: $0).split(separator: ";").map { String($0[...].trimmed) } } ?? []
    }

    /// Whether a type has a list.
    package func hasDefault(for type: String) -> Bool { index(of: type) != nil }

    /// Puts an application first in the list of a type.
    ///
    /// - Parameters:
    ///   - entry: The name of its desktop entry.
    ///   - type: The MIME type.
    package mutating func prefer(_ entry: String, for type: String) {
        drop(entry, for: type)
        if let index = index(of: type) {
            lines[index] = "\(key(of: index))=\(entry);\(value(of: index))"
        } else {
            let header = lines.firstIndex(where: Self.isSection) ?? appendSection()
            lines.insert("\(type)=\(entry);", at: header + 1)
        }
    }

    /// Removes an application from the list of a type, if it is there.
    ///
    /// - Parameters:
    ///   - entry: The name of its desktop entry.
    ///   - type: The MIME type.
    package mutating func drop(_ entry: String, for type: String) {
        guard let index = index(of: type) else { return }
        let value = value(of: index)
        var names = value.split(separator: ";", omittingEmptySubsequences: false)
        guard let position = names.firstIndex(where: { $0.trimmed == entry }) else { return }
        names.remove(at: position)
        if names.allSatisfy(\.isEmpty) {
            lines.remove(at: index)
            removeEmptySection()
        } else {
            lines[index] = "\(key(of: index))=\(names.joined(separator: ";"))"
        }
    }

    /// The line of a type; a file can have the section twice.
    private func index(of type: String) -> Int? {
        var isInside = false
        return lines.indices.first { index in
            if lines[index].hasPrefix("[") { isInside = Self.isSection(lines[index]) }
            return isInside && key(of: index).trimmed == type
        }
    }

    private static func isSection(_ line: String) -> Bool { line[...].trimmed == section }

    private func key(of index: Int) -> Substring {
        lines[index].prefix { $0 != "=" }
    }

    private func value(of index: Int) -> Substring {
        lines[index].drop { $0 != "=" }.dropFirst()
    }

    /// Appends the section, after an empty line, and returns its index.
    private mutating func appendSection() -> Int {
        if !lines.isEmpty { lines.append("") }
        lines.append(Self.section)
        return lines.count - 1
    }

    /// Removes the section that ``appendSection()`` has added, if it is at the end and empty.
    private mutating func removeEmptySection() {
        guard lines.last == Self.section else { return }
        lines.removeLast()
        if lines.last == "" { lines.removeLast() }
    }
}

extension Substring {
    /// The text without blanks around it.
    fileprivate var trimmed: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}

/// A browser of the desktop, as its desktop entry describes it.
package struct Browser: Hashable, Sendable {
    /// The name of its desktop entry.
    package let name: String
    /// Its name for people.
    package let title: String
    /// Its program and arguments, with field codes such as `%u`.
    private let words: [String]

    /// Parses a desktop entry; nil if it starts no program.
    ///
    /// - Parameters:
    ///   - name: The name of the entry.
    ///   - text: The contents of its file.
    package init?(named name: String, _ text: String) {
        let lines = text.split(separator: "\n").drop { $0 != "[Desktop Entry]" }.dropFirst().prefix {
            !$0.hasPrefix("[")
        }
        words = lines.value(of: "Exec").map { Self.words(of: $0) } ?? []
        guard !words.isEmpty else { return nil }
        self.name = name
        title = lines.value(of: "Name").map(String.init) ?? name
    }

    /// Finds a browser by the name of its desktop entry; nil if it is not installed.
    init?(named name: String) {
        guard let path = (try? DesktopFolders())?.path(of: name), let text = try? UserFile(path: path).read() else {
            return nil
        }
        self.init(named: name, text)
    }

    /// Returns an installed browser other than the command: by its name, or otherwise the first one that the desktop's cache
    /// lists.
    static func any(preferring name: String) -> Browser? {
        if !name.isEmpty, let browser = Browser(named: name) { return browser }
        guard let folders = try? DesktopFolders() else { return nil }
        for folder in [folders.applications] + folders.sharedApplications {
            let cache = try? UserFile(path: "\(folder)/mimeinfo.cache").read()
            let key = "\(DesktopEntry.type(of: "https"))="
            let line = cache?.split(separator: "\n").first { $0.hasPrefix(key) }
            for name in line?.dropFirst(key.utf8.count).split(separator: ";") ?? [] where name != DesktopEntry.name {
                if let browser = Browser(named: String(name)) { return browser }
            }
        }
        return nil
    }

    /// Returns the program and its arguments.
    ///
    /// - Parameter link: The link to open; nil to start the browser.
    /// - Returns: The words of the command.
    package func command(opening link: String?) -> [String] {
        var command: [String] = []
        var isPassed = false
        for word in words {
            switch word {
            case "%u", "%U", "%f", "%F":
                isPassed = true
                if let link { command.append(link) }
            case "%c": command.append(title)
            case "%i", "%k", "%d", "%D", "%n", "%N", "%v", "%m": continue
            default:
                // Within code for a shell, a link could be read as code.
                if let link, word.hasPrefix("-"), word.contains(text: "%u") {
                    isPassed = true
                    command.append(word.replacing(each: "%u", with: link))
                } else {
                    command.append(word.replacing(each: "%%", with: "%"))
                }
            }
        }
        if !isPassed, let link { command.append(link) }
        return command
    }

    /// Splits the value of `Exec` (Desktop Entry Specification).
    static func words(of value: Substring) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        var rest = value.description.replacing(each: "\\\\", with: "\\")[...]
        while let character = rest.popFirst() {
            switch character {
            case "\"":
                isQuoted.toggle()
                word = word ?? ""
            case "\\" where isQuoted: word?.append(rest.popFirst() ?? "\\")
            case " " where !isQuoted:
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return words
    }
}

extension Sequence<Substring> {
    /// The value of a key in the lines of a desktop entry.
    func value(of key: String) -> Substring? {
        first { $0.hasPrefix("\(key)=") }?.dropFirst(key.utf8.count + 1)
    }
}
