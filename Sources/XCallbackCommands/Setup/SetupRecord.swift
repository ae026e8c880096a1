import XCallbackWire

/// The record of the files and changes of `xcallback setup` for a user, so that they can be undone.
package struct SetupRecord: Hashable, Sendable {
    /// A set-up example.
    package struct Example: Hashable, Sendable {
        /// Its name.
        package let name: String
        /// The user's answers.
        package let answers: SetupAnswers
        /// The files written for it: the drop-in, then the programs.
        package var files: [WrittenFile]
        /// The schemes registered for it that were not registered before.
        package var schemes: [String]
        /// The schemes that were registered before and belonged to another application first.
        package var preferred: [String] = []
        /// Whether a daemon has served it.
        package var isTried: Bool

        /// Creates an example.
        package init(
            name: String, answers: SetupAnswers, files: [WrittenFile], schemes: [String], isTried: Bool = false
        ) {
            self.name = name
            self.answers = answers
            self.files = files
            self.schemes = schemes
            self.isTried = isTried
        }
    }

    /// The set-up examples, in the order of their setup.
    package var examples: [Example] = []
    /// The settings for all routes, if they were written.
    package var settings: WrittenFile?
    /// Whether the unit of the socket was enabled.
    package var hasEnabledSocket = false
    /// The created folders, parents first, and the cache that the desktop creates.
    package var made: [String] = []

    /// Creates an empty record.
    package init() {}

    /// An example by name; nil if it is not set up.
    package subscript(name: String) -> Example? {
        get { examples.first { $0.name == name } }
        set {
            let index = examples.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): examples[index] = value
            case (let index?, nil): examples.remove(at: index)
            case (nil, let value?): examples.append(value)
            case (nil, nil): break
            }
        }
    }

    /// Whether there is nothing to undo.
    package var isEmpty: Bool { examples.isEmpty && settings == nil && !hasEnabledSocket && made.isEmpty }
}

/// A user's answers to the questions of `xcallback setup`.
package struct SetupAnswers: Hashable, Sendable {
    /// Whether links and web pages reach the public routes.
    package var isPublic = true
    /// Whether the command takes precedence over other applications with the schemes.
    package var isDefault = true

    /// Creates the answers of a user who agrees.
    package init(isPublic: Bool = true, isDefault: Bool = true) {
        self.isPublic = isPublic
        self.isDefault = isDefault
    }
}

extension SetupRecord {
    /// Parses a record; nil if the text is invalid.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let value = try? JSONValue(parsing: bytes.span, maximumSize: bytes.count),
            let examples = value["examples"]?.elements, let hasEnabledSocket = value["enabledSocket"]?.truth,
            let made = value["made"]?.elements
        else { return nil }
        let read = examples.map { Example($0) }
        self.examples = read.compactMap(\.self)
        settings = value["settings"].flatMap { WrittenFile($0) }
        self.hasEnabledSocket = hasEnabledSocket
        self.made = made.compactMap(\.text)
        if read.contains(nil) { return nil }
    }

    /// The text of the record.
    package var text: String {
        let value: JSONValue = [
            "examples": .array(examples.map(\.json)), "settings": settings?.json ?? .null,
            "enabledSocket": .bool(hasEnabledSocket), "made": .array(made.map { .string($0) }),
        ]
        return "\(value)\n"
    }
}

extension SetupRecord.Example {
    fileprivate init?(_ value: JSONValue) {
        guard let name = value["name"]?.text, let isPublic = value["public"]?.truth,
            let isDefault = value["default"]?.truth, let files = value["files"]?.elements,
            let schemes = value["schemes"]?.elements, let isTried = value["tried"]?.truth
        else { return nil }
        self.init(
            name: name, answers: SetupAnswers(isPublic: isPublic, isDefault: isDefault),
            files: files.compactMap { WrittenFile($0) }, schemes: schemes.compactMap(\.text),
            isTried: isTried)
        preferred = value["preferred"]?.elements?.compactMap(\.text) ?? []
    }

    fileprivate var json: JSONValue {
        [
            "name": .string(name), "public": .bool(answers.isPublic), "default": .bool(answers.isDefault),
            "files": .array(files.map(\.json)), "schemes": .array(schemes.map { .string($0) }),
            "preferred": .array(preferred.map { .string($0) }), "tried": .bool(isTried),
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
