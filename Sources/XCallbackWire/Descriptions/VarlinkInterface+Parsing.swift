import XCallbackBytes

extension VarlinkInterface {
    /// The maximum number of characters of a description.
    package static let maximumLength = 1 << 20

    /// Parses a description.
    ///
    /// A comment belongs to the following interface, member, field or value; other comments are dropped.
    ///
    /// - Throws: ``InterfaceError`` for the first fault.
    package init(parsing text: String) throws(InterfaceError) {
        var parser = InterfaceParser(text)
        guard text.unicodeScalars.count <= Self.maximumLength else {
            throw parser.text.error(.tooLong(limit: Self.maximumLength))
        }
        self = try parser.interface()
    }

    /// Parses a description that is part of the program.
    package init(constant text: String) {
        do {
            try self.init(parsing: text)
        } catch {
            // Not reachable for any input.
            preconditionFailure("an interface that is a constant: \(error)")
        }
    }
}

/// Parses the parts of a description; each function starts at a position and ends after the part.
private struct InterfaceParser {
    private static let maximumDepth = 64

    private(set) var text: InterfaceText
    /// The types that were referred to, with their positions.
    private var mentions: [(name: String, place: Int)] = []

    init(_ text: String) {
        self.text = InterfaceText(text)
    }

    mutating func interface() throws(InterfaceError) -> VarlinkInterface {
        let comment = text.takeComment()
        try expect(keyword: "interface")
        let name = text.word(also: ".", "-")
        guard isInterfaceName(name) else { throw expected("the name of the interface", insteadOf: name) }
        var members: [VarlinkInterface.Member] = []
        var names: Set<String> = []
        repeat {
            guard text.takesLineEnd() else { throw text.error(.expected("the end of the line")) }
            if !members.isEmpty, text.isAtEnd() { break }
            let member = try member()
            guard names.insert(member.name).inserted else {
                throw text.error(.repeatedName(member.name), at: memberPlace)
            }
            members.append(member)
        } while true
        try checkMentions(members)
        return VarlinkInterface(name: name, comment: comment, members: members)
    }

    /// The position of the last member's name.
    private var memberPlace = 0

    private mutating func member() throws(InterfaceError) -> VarlinkInterface.Member {
        let comment = text.takeComment()
        let keyword = text.word()
        switch keyword {
        case "type":
            let name = try memberName()
            return VarlinkInterface.Member(name, .type(try composite(depth: 0)), comment: comment)
        case "method":
            let name = try memberName()
            let input = try fields()
            try expect("->")
            return VarlinkInterface.Member(name, .method(input: input, output: try fields()), comment: comment)
        case "error":
            let name = try memberName()
            return VarlinkInterface.Member(name, .error(try fields()), comment: comment)
        default: throw expected("'type', 'method' or 'error'", insteadOf: keyword)
        }
    }

    private mutating func memberName() throws(InterfaceError) -> String {
        let name = text.word()
        memberPlace = text.position - name.unicodeScalars.count
        guard isMemberName(name) else { throw expected("a name that begins with a capital letter", insteadOf: name) }
        return name
    }

    private mutating func fields() throws(InterfaceError) -> [VarlinkField] {
        let start = text.position
        guard case .structure(let fields) = try composite(depth: 0) else {
            throw text.error(.expected("parameters with their types"), at: start)
        }
        return fields
    }

    /// Reads a structure or an enumeration.
    private mutating func composite(depth: Int) throws(InterfaceError) -> VarlinkType {
        try expect("(")
        if text.takes(")") { return .structure([]) }
        var fields: [VarlinkField] = []
        var choices: [VarlinkChoice] = []
        var names: Set<String> = []
        repeat {
            let comment = text.takeComment()
            let name = try fieldName()
            guard names.insert(name).inserted else { throw expectedOther(than: name) }
            if choices.isEmpty, text.takes(":") {
                fields.append(VarlinkField(name, try type(depth: depth + 1), comment: comment))
            } else {
                guard fields.isEmpty else { throw text.error(.expected("':'")) }
                choices.append(VarlinkChoice(name, comment: comment))
            }
        } while text.takes(",")
        try expect(")")
        return choices.isEmpty ? .structure(fields) : .enumeration(choices)
    }

    private mutating func fieldName() throws(InterfaceError) -> String {
        let name = text.word(also: "_")
        guard isFieldName(name) else { throw expected("the name of a field", insteadOf: name) }
        return name
    }

    private mutating func type(depth: Int) throws(InterfaceError) -> VarlinkType {
        guard depth <= Self.maximumDepth else { throw text.error(.tooDeep(limit: Self.maximumDepth)) }
        if text.takes("?") {
            if text.takes("?") { throw text.error(.expected("a type that is not optional")) }
            return .optional(try type(depth: depth + 1))
        }
        if text.takes("[") {
            let key = text.word()
            guard key.isEmpty || key == "string" else { throw expected("'[]' or '[string]'", insteadOf: key) }
            try expect("]")
            let element = try type(depth: depth + 1)
            return key.isEmpty ? .array(element) : .map(element)
        }
        let name = text.word()
        if name.isEmpty { return try composite(depth: depth) }
        if let type = Self.simpleTypes[name] { return type }
        guard isMemberName(name) else { throw expected("a type", insteadOf: name) }
        mentions.append((name, text.position - name.unicodeScalars.count))
        return .named(name)
    }

    private static let simpleTypes: [String: VarlinkType] = [
        "bool": .bool, "int": .int, "float": .float, "string": .string, "object": .object, "any": .any,
    ]

    private func checkMentions(_ members: [VarlinkInterface.Member]) throws(InterfaceError) {
        var types: Set<String> = []
        for member in members { if case .type = member.kind { types.insert(member.name) } }
        for mention in mentions where !types.contains(mention.name) {
            throw text.error(.unknownType(mention.name), at: mention.place)
        }
    }

    private mutating func expect(_ sign: String) throws(InterfaceError) {
        if !text.takes(sign) { throw text.error(.expected("'\(sign)'")) }
    }

    private mutating func expect(keyword: String) throws(InterfaceError) {
        let word = text.word()
        if word != keyword { throw expected("'\(keyword)'", insteadOf: word) }
    }

    private func expected(_ what: String, insteadOf word: String) -> InterfaceError {
        text.error(.expected(what), at: text.position - word.unicodeScalars.count)
    }

    private func expectedOther(than name: String) -> InterfaceError {
        text.error(.repeatedName(name), at: text.position - name.unicodeScalars.count)
    }
}

/// Whether a name has at least two parts separated by dots, with letters, digits and inner hyphens, and starts with a letter.
private func isInterfaceName(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 1, let first = name.unicodeScalars.first, isLetter(first) else { return false }
    return parts.allSatisfy { part in !part.isEmpty && part.first != "-" && part.last != "-" }
}

private func isMemberName(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first else { return false }
    return ("A"..."Z").contains(first)
}

/// Whether a name starts with a letter and contains only single underscores between other characters.
private func isFieldName(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, isLetter(first) else { return false }
    return !name.hasSuffix("_") && !name.contains(text: "__")
}
