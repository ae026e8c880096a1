package import XCallbackWire

/// The description of a Varlink interface, with which tests compare what a service takes and replies.
package struct VarlinkInterface {
    /// A type.
    package indirect enum Kind {
        case bool, int, float, string, object, any
        case array(Kind), map(Kind), optional(Kind), structure([Field]), enumeration([String]), named(String)
    }

    /// A field of a structure.
    package struct Field {
        /// Its name.
        package let name: String
        fileprivate let kind: Kind
    }

    /// A method.
    package struct Method {
        /// Its name.
        package let name: String
        fileprivate let input: Kind
        fileprivate let output: Kind
    }

    /// The name.
    package fileprivate(set) var name = ""
    /// The methods, in order.
    package fileprivate(set) var methods: [Method] = []
    /// The names of the errors, in order, each with those of its fields.
    package fileprivate(set) var errors: [(name: String, fields: [String])] = []
    fileprivate var types: [String: Kind] = [:]

    /// Reads a description.
    package init(parsing text: String) throws {
        var parser = Parser(text)
        try parser.expect("interface")
        name = try parser.take()
        while let keyword = parser.next() {
            let name = try parser.take()
            switch keyword {
            case "type": types[name] = try parser.kind()
            case "error": errors.append((name, try parser.fields().map(\.name)))
            case "method":
                let input = Kind.structure(try parser.fields())
                try parser.expect("->")
                methods.append(Method(name: name, input: input, output: .structure(try parser.fields())))
            default: throw TestFailure("'\(keyword)' in an interface")
            }
        }
    }
}

/// Splits a description into words and signs, without comments.
private struct Parser {
    private var words: [String] = []
    private var position = 0

    init(_ text: String) {
        for line in text.split(separator: "\n") where !line.trimmingPrefix(while: { $0 == " " }).hasPrefix("#") {
            var word = ""
            for character in line {
                if character.isLetter || character.isNumber || "_.->".contains(character) {
                    word.append(character)
                } else {
                    words += [word, String(character)]
                    word = ""
                }
            }
            words.append(word)
        }
        words.removeAll { $0.isEmpty || $0 == " " }
    }

    mutating func next() -> String? {
        guard position < words.count else { return nil }
        position += 1
        return words[position - 1]
    }

    mutating func take() throws -> String {
        guard let word = next() else { throw TestFailure("the interface ends early") }
        return word
    }

    mutating func expect(_ word: String) throws {
        let other = try take()
        if other != word { throw TestFailure("'\(other)' instead of '\(word)' in an interface") }
    }

    mutating func fields() throws -> [VarlinkInterface.Field] {
        guard case .structure(let fields) = try kind() else { throw TestFailure("no fields") }
        return fields
    }

    mutating func kind() throws -> VarlinkInterface.Kind {
        switch try take() {
        case "bool": return .bool
        case "int": return .int
        case "float": return .float
        case "string": return .string
        case "object": return .object
        case "any": return .any
        case "?": return .optional(try kind())
        case "(": return try composite()
        case "[":
            let isMap = try take() == "string"
            if isMap { try expect("]") }
            return isMap ? .map(try kind()) : .array(try kind())
        case let name: return .named(name)
        }
    }

    private mutating func composite() throws -> VarlinkInterface.Kind {
        var fields: [VarlinkInterface.Field] = []
        var choices: [String] = []
        var word = try take()
        while word != ")" {
            let name = word == "," ? try take() : word
            word = try take()
            if word == ":" {
                fields.append(VarlinkInterface.Field(name: name, kind: try kind()))
                word = try take()
            } else {
                choices.append(name)
            }
        }
        return choices.isEmpty ? .structure(fields) : .enumeration(choices)
    }
}

// MARK: - Comparing

extension VarlinkInterface {
    /// Returns the path of the first value of a reply that does not match the description; empty for the reply itself.
    package func mismatch(of reply: JSONValue, to method: String) -> String? {
        guard let method = methods.first(where: { $0.name == method }) else { return "" }
        return mismatch(of: reply, with: method.output)
    }

    private func mismatch(of value: JSONValue, with kind: Kind) -> String? {
        switch (kind, value) {
        case (.optional, .null): return nil
        case (.optional(let kind), _): return mismatch(of: value, with: kind)
        case (.named(let name), _): return mismatch(of: value, with: types[name] ?? .enumeration([]))
        case (.bool, .bool), (.string, .string), (.object, .object), (.float, .number): return nil
        case (.int, .number(let number)): return number.integer == nil ? "" : nil
        case (.any, _): return value == .null ? "" : nil
        case (.enumeration(let choices), .string(let text)): return choices.contains(text) ? nil : ""
        case (.array(let kind), .array(let elements)):
            for (index, element) in elements.enumerated() {
                if let path = mismatch(of: element, with: kind) { return join("\(index)", path) }
            }
            return nil
        case (.map(let kind), .object(let members)):
            for member in members {
                if let path = mismatch(of: member.value, with: kind) { return join(member.name, path) }
            }
            return nil
        case (.structure(let fields), .object(let members)):
            for field in fields {
                let path = mismatch(of: value[field.name] ?? .null, with: field.kind)
                if let path { return join(field.name, path) }
            }
            return members.first { member in !fields.contains { $0.name == member.name } }?.name
        default: return ""
        }
    }
}

// MARK: - Parameters

extension VarlinkInterface {
    /// Returns parameters of a method, with a value for each field.
    package func sample(of method: Method) -> JSONValue { sample(of: method.input) }

    private func sample(of kind: Kind) -> JSONValue {
        switch kind {
        case .bool: .bool(true)
        case .int, .any: .number(1)
        case .float: .number(JSONNumber("1.5") ?? 1)
        case .string: "x"
        case .object: [:]
        case .array(let kind): [sample(of: kind)]
        case .map(let kind): ["a": sample(of: kind)]
        case .optional(let kind): sample(of: kind)
        case .named(let name): sample(of: types[name] ?? .any)
        case .enumeration(let choices): .string(choices.first ?? "")
        case .structure(let fields): .object(fields.map { JSONValue.Member($0.name, sample(of: $0.kind)) })
        }
    }

    /// Returns parameters that a method must refuse, each with one fault at a path: a missing or unknown field, or a value of
    /// another type, also within lists and structures.
    package func faulty(_ method: Method) -> [(path: String, parameters: JSONValue)] {
        faulty(method.input).filter { !$0.path.isEmpty }.map { ($0.path, $0.value) }
    }

    private func faulty(_ kind: Kind) -> [(path: String, value: JSONValue)] {
        switch kind {
        case .any: return []
        case .bool, .string: return [("", .number(1))]
        case .int: return [("", .number(JSONNumber("1.5") ?? 0)), ("", "1")]
        case .float, .object, .map: return [("", "x")]
        case .enumeration: return [("", "unknown"), ("", .number(1))]
        case .optional(let kind): return faulty(kind)
        case .named(let name): return faulty(types[name] ?? .any)
        case .array(let kind):
            return [("", [:])] + faulty(kind).map { (join("0", $0.path), [$0.value]) }
                + faulty(kind).map { (join("1", $0.path), [sample(of: kind), $0.value]) }
        case .structure(let fields): return faulty(fields)
        }
    }

    private func faulty(_ fields: [Field]) -> [(path: String, value: JSONValue)] {
        let members = fields.map { JSONValue.Member($0.name, sample(of: $0.kind)) }
        var all: [(path: String, value: JSONValue)] = [("", "x")]
        all.append(("unknown", .object(members + [JSONValue.Member("unknown", .number(1))])))
        for (index, field) in fields.enumerated() {
            func with(_ values: [JSONValue]) -> JSONValue {
                .object(
                    Array(members[..<index]) + values.map { JSONValue.Member(field.name, $0) } + members[(index + 1)...]
                )
            }
            if case .optional = field.kind {
            } else {
                all += [(field.name, with([])), (field.name, with([.null]))]
            }
            for (path, value) in faulty(field.kind) { all.append((join(field.name, path), with([value]))) }
        }
        return all
    }

    private func join(_ name: String, _ path: String) -> String { path.isEmpty ? name : "\(name).\(path)" }
}
