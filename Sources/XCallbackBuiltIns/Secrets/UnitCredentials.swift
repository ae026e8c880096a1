import XCallbackBytes

/// The credentials that a service manager loads for a service, as the files of its unit say (systemd.exec(5)).
struct UnitCredentials: Hashable {
    /// Where a credential comes from.
    enum Source: Hashable {
        /// A file, a folder with files, or a socket that writes it.
        case path(String, isEncrypted: Bool)
        /// A file of this name in the credential stores of the system.
        case stored(String)
        /// The unit itself.
        case text
    }

    /// What it loads, by the names of the credentials.
    private(set) var loaded: [String: Source] = [:]
    /// What it sets if it loads nothing of that name.
    private(set) var set: Set<String> = []
    /// The patterns of names that it takes from the credential stores.
    private(set) var imports: [String] = []
    /// Whether it can have other names as well, because they depend on the machine, or are given while it takes them.
    private(set) var hasOtherNames = false

    /// Reads what `systemctl cat` prints: the file of the unit, then its drop-ins in the order in which they count.
    init(unit text: String) {
        var section = ""
        for line in Self.lines(of: text) {
            if line.hasPrefix("[") { section = line } else if section == "[Service]" { take(line) }
        }
    }

    /// The lines that are no comments, without blanks around them; a backslash at the end continues one.
    private static func lines(of text: String) -> [String] {
        var lines: [String] = []
        var begun = ""
        for line in text.split(separator: "\n") {
            let content = line.trimmingBlanks
            if content.hasPrefix("#") || content.hasPrefix(";") { continue }
            if content.hasSuffix("\\") {
                begun += content.dropLast() + " "
            } else {
                lines.append(begun + content)
                begun = ""
            }
        }
        return lines
    }

    private mutating func take(_ line: String) {
        guard let equals = line.firstIndex(of: "=") else { return }
        let value = line[line.index(after: equals)...].trimmingBlanks
        let parts = value.split(separator: ":", maxSplits: 1).map(String.init)
        let key = line[..<equals].trimmingBlanks
        if key.contains(text: "Credential"), parts.first?.contains("%") == true { hasOtherNames = true }
        // An empty assignment resets the list.
        switch key {
        case "LoadCredential": load(parts, isEncrypted: false)
        case "LoadCredentialEncrypted": load(parts, isEncrypted: true)
        case "SetCredential", "SetCredentialEncrypted":
            if let name = parts.first { set.insert(name) } else { set = [] }
        case "ImportCredential":
            if let pattern = parts.first { imports.append(pattern) } else { imports = [] }
            if parts.count > 1 { hasOtherNames = true }
        default: break
        }
    }

    private mutating func load(_ parts: [String], isEncrypted: Bool) {
        guard let name = parts.first else { return loaded = [:] }
        let path = parts.count > 1 ? parts[1] : name
        // Only the service manager knows what a specifier stands for.
        if path.contains("%") { return loaded[name] = .text }
        loaded[name] = path.hasPrefix("/") ? .path(path, isEncrypted: isEncrypted) : .stored(path)
    }

    /// Where a credential comes from; nil if the unit does not name it.
    subscript(name: String) -> Source? {
        if let source = loaded[name] { return source }
        // The files of a folder have the credential's name and theirs.
        for (folder, source) in loaded {
            if case .path(let path, let isEncrypted) = source, name.hasPrefix("\(folder)_") {
                return .path("\(path)/\(name.dropFirst(folder.count + 1))", isEncrypted: isEncrypted)
            }
        }
        return set.contains(name) ? .text : nil
    }
}

extension StringProtocol {
    /// The text without blanks around it.
    fileprivate var trimmingBlanks: String {
        let rest = drop { $0 == " " || $0 == "\t" || $0 == "\r" }
        return String(rest.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed())
    }
}
