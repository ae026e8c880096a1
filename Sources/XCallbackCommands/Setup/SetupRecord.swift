import XCallbackBuiltIns
import XCallbackWire

/// What `xcallback setup` and `xcallback init` have made for a user, so that `xcallback remove` can take it back.
package struct SetupRecord: Hashable, Sendable {
    /// An example, or a first action.
    package struct Entry: Hashable, Sendable {
        /// The name of its drop-in.
        package let name: String
        /// The files written for it: the drop-in, then the programs.
        package var files: [WrittenFile]
        /// The schemes registered for it that were not registered before.
        package var schemes: [String] = []
        /// Whether the user agrees that links and web pages reach the public routes.
        package var isPublic = true
        /// Whether the user agrees that the command takes precedence over other applications with the schemes.
        package var isDefault = true
        /// Whether a daemon has served it.
        package var isTried = false

        package init(name: String, files: [WrittenFile]) {
            self.name = name
            self.files = files
        }
    }

    /// The entries, in the order of their creation.
    package var entries: [Entry] = []
    /// Whether the unit of the socket was enabled.
    package var hasEnabledSocket = false

    package init() {}

    /// An entry by name; nil if there is none.
    package subscript(name: String) -> Entry? {
        get { entries.first { $0.name == name } }
        set {
            let index = entries.firstIndex { $0.name == name } ?? entries.endIndex
            entries.replaceSubrange(index..<min(index + 1, entries.endIndex), with: newValue.map { [$0] } ?? [])
        }
    }
}

// MARK: - The file

extension SetupRecord {
    /// Reads the record of a user; empty if nothing was made.
    init(in folders: UserFolders) throws(Failure) {
        self.init()
        guard let text = try UserFile(path: folders.record).read() else { return }
        guard let record = SetupRecord(text) else {
            throw Failure(
                .errorAnswer,
                "'\(folders.record)', the record of 'xcallback setup', is damaged\n"
                    + "delete it, then delete the files that 'xcallback setup' wrote")
        }
        self = record
    }

    /// Writes the record; an empty one removes the file.
    func write(in folders: UserFolders) throws(Failure) {
        let file = UserFile(path: folders.record)
        if entries.isEmpty, !hasEnabledSocket {
            try file.remove()
        } else {
            try file.replace(with: text, permissions: 0o600)
        }
    }

    /// Parses a record; nil if the text is invalid.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let value = try? JSONValue(parsing: bytes.span, maximumSize: bytes.count),
            let entries = value["examples"]?.elements, let hasEnabledSocket = value["enabledSocket"]?.truth
        else { return nil }
        self.entries = entries.compactMap { Entry($0) }
        self.hasEnabledSocket = hasEnabledSocket
        if self.entries.count < entries.count { return nil }
    }

    package var text: String {
        let value: JSONValue = [
            "examples": .array(entries.map(\.json)), "enabledSocket": .bool(hasEnabledSocket),
        ]
        return "\(value)\n"
    }
}

extension SetupRecord.Entry {
    fileprivate init?(_ value: JSONValue) {
        guard let name = value["name"]?.text, let isPublic = value["public"]?.truth,
            let isDefault = value["default"]?.truth, let files = value["files"]?.elements,
            let schemes = value["schemes"]?.elements, let isTried = value["tried"]?.truth
        else { return nil }
        self.init(name: name, files: files.compactMap { WrittenFile($0) })
        self.schemes = schemes.compactMap(\.text)
        (self.isPublic, self.isDefault, self.isTried) = (isPublic, isDefault, isTried)
    }

    fileprivate var json: JSONValue {
        [
            "name": .string(name), "public": .bool(isPublic), "default": .bool(isDefault),
            "files": .array(files.map(\.json)), "schemes": .texts(schemes),
            "tried": .bool(isTried),
        ]
    }
}

extension WrittenFile {
    fileprivate init?(_ value: JSONValue) {
        guard let path = value["path"]?.text, let text = value["text"]?.text, let isProgram = value["program"]?.truth
        else { return nil }
        self.init(path: path, text: text, isProgram: isProgram)
    }

    fileprivate var json: JSONValue {
        ["path": .string(path), "program": .bool(isProgram), "text": .string(text)]
    }
}
