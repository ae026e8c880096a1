/// The types of interfaces by index, so that a message is checked without copying.
struct TypeTable: Sendable {
    /// A type, with the index of its element type or the range of its fields.
    enum Shape {
        case bool, int, float, string, object, any
        case array(of: Int), map(of: Int), optional(Int), named(Int)
        case structure(Range<Int>), enumeration(Range<Int>)
    }

    /// A field of a structure, or a value of an enumeration, whose type is unused.
    struct Field {
        let type: Int
        let isOptional: Bool
    }

    private(set) var shapes: [Shape] = []
    private(set) var fields: [Field] = []
    /// The name of each field.
    private(set) var names = NameList()
    /// The named types of the interface that was started last.
    private var namedTypes: [String: Int] = [:]

    /// Adds the named types of an interface, to which types added afterwards can refer.
    mutating func begin(_ interface: VarlinkInterface) {
        let types = interface.members.compactMap { member in
            if case .type(let type) = member.kind { (name: member.name, type: type) } else { nil }
        }
        namedTypes = [:]
        for type in types { namedTypes[type.name] = append(.any) }
        for type in types {
            guard let number = namedTypes[type.name] else { continue }
            shapes[number] = .named(add(type.type))
        }
    }

    /// Adds a type.
    ///
    /// - Returns: Its index.
    mutating func add(_ type: VarlinkType) -> Int {
        switch type {
        case .bool: append(.bool)
        case .int: append(.int)
        case .float: append(.float)
        case .string: append(.string)
        case .object: append(.object)
        case .any: append(.any)
        case .array(let element): append(.array(of: add(element)))
        case .map(let element): append(.map(of: add(element)))
        case .optional(let type): append(.optional(add(type)))
        // The parser has ensured that the name exists.
        case .named(let name): namedTypes[name] ?? append(.any)
        case .structure(let fields):
            append(
                .structure(
                    add(fields.map(\.name), fields.map { Field(type: add($0.type), isOptional: $0.type.isOptional) })))
        case .enumeration(let choices):
            append(.enumeration(add(choices.map(\.name), choices.map { _ in Field(type: 0, isOptional: false) })))
        }
    }

    private mutating func append(_ shape: Shape) -> Int {
        shapes.append(shape)
        return shapes.count - 1
    }

    private mutating func add(_ names: [String], _ more: [Field]) -> Range<Int> {
        for name in names { self.names.append(name) }
        fields += more
        return fields.count - more.count..<fields.count
    }
}
