import XCallbackBytes

/// The credentials that a service manager loads for a service, according to its unit files (systemd.exec(5)).
struct UnitCredentials: Hashable {
    /// The origin of a credential.
    enum Source: Hashable {
        /// A file, a directory with files, or a socket that writes the credential.
        case path(String, isEncrypted: Bool)
        /// A file with this name in the credential stores of the system.
        case stored(String)
        /// The unit itself.
        case text
    }

    /// The credentials that the unit loads, by name.
    private(set) var loaded: [String: Source] = [:]
    /// The credentials that the unit sets if it does not load them.
    private(set) var set: Set<String> = []
    /// The patterns of names that the unit imports from the credential stores.
    private(set) var imports: [String] = []
    /// Whether the unit can have credentials with other names, which depend on the machine, or are given at import.
    private(set) var hasOtherNames = false

    /// Reads the output of `systemctl cat`: the unit file, then its drop-ins in their order.
    init(unit text: String) {
        var section = ""
        for line in Self.lines(of: text) {
            if line.hasPrefix("[") { section = line } else if section == "[Service]" { take(line) }
        }
    }

    /// Returns the lines without comments and surrounding blanks; a trailing backslash continues a line.
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
        // Only the service manager can expand a specifier.
        if path.contains("%") { return loaded[name] = .text }
        loaded[name] = path.hasPrefix("/") ? .path(path, isEncrypted: isEncrypted) : .stored(path)
    }

    /// The origin of a credential; nil if the unit does not name it.
    subscript(name: String) -> Source? {
        if let source = loaded[name] { return source }
        // The credentials of a directory combine its credential name and the file names.
        for (folder, source) in loaded {
            if case .path(let path, let isEncrypted) = source, name.hasPrefix("\(folder)_") {
                return .path("\(path)/\(name.dropFirst(folder.count + 1))", isEncrypted: isEncrypted)
            }
        }
        return set.contains(name) ? .text : nil
    }
}

extension StringProtocol {
    /// The text without surrounding blanks.
    fileprivate var trimmingBlanks: String {
        let rest = drop { $0 == " " || $0 == "\t" || $0 == "\r" }
        return String(rest.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed())
    }
}
