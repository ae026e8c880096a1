import XCallbackLinux
import XCallbackWire

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
        func value(_ key: String) -> Substring? {
            lines.first { $0.hasPrefix("\(key)=") }?.dropFirst(key.utf8.count + 1)
        }
        words = value("Exec").map { Self.words(of: $0) } ?? []
        guard !words.isEmpty else { return nil }
        self.name = name
        title = value("Name").map(String.init) ?? name
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
    private static func words(of value: Substring) -> [String] {
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
