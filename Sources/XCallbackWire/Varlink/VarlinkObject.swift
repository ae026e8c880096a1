import XCallbackBytes

/// An object in a message, whose members are read by name.
///
/// What does not fit is an `InvalidParameter` with its path. A member that is null counts as missing. After all members
/// are read, ``finish(ignoring:)`` reports unknown ones.
///
///     var parameters = call.parameters
///     url = try parameters.required("url").text()
///     follow = try parameters.optional("follow")?.truth() ?? false
///     try parameters.finish()
package struct VarlinkObject: Sendable {
    private let context: Context
    /// The number of the object; nil for a call without parameters.
    private let number: Int?
    /// The members that were read, by their position among those that are not null.
    ///
    /// No method has more than 64 parameters.
    private var seen: UInt64 = 0

    /// The message, and the value at which paths start.
    fileprivate struct Context: Sendable {
        let message: JSONDocument
        let root: Int

        func invalid(_ number: Int) -> VarlinkError {
            let path = message.path(to: number, from: root)
            return .invalidParameter(path.isEmpty ? "parameters" : path)
        }
    }

    /// Creates the object with a number, at which paths start.
    init(_ message: JSONDocument, _ number: Int?) {
        context = Context(message: message, root: number ?? 0)
        self.number = number
    }

    fileprivate init(_ context: Context, _ number: Int) {
        self.context = context
        self.number = number
    }

    /// The bytes that ``VarlinkValue/range()`` refers to.
    package var bytes: [UInt8] { context.message.bytes }

    /// Returns the value of a member; nil if it is missing or null.
    ///
    /// - Throws: ``VarlinkError`` if it is repeated.
    package mutating func optional(_ name: StaticString) throws(VarlinkError) -> VarlinkValue? {
        let message = context.message
        var found: Int?
        var position: UInt64 = 0
        var member = firstMember
        while member < end {
            let isNull = message[member + 1].kind == .null
            if message.isText(member, name) {
                guard found == nil else { throw context.invalid(member) }
                found = member + 1
                if !isNull { seen |= 1 << position }
            }
            if !isNull { position += 1 }
            member = message[member + 1].next
        }
        guard let found, message[found].kind != .null else { return nil }
        return VarlinkValue(context, found)
    }

    /// Returns the value of a member.
    ///
    /// - Throws: ``VarlinkError`` if it is missing or repeated.
    package mutating func required(_ name: StaticString) throws(VarlinkError) -> VarlinkValue {
        if let value = try optional(name) { return value }
        let path = number.map { context.message.path(to: $0, from: context.root) } ?? ""
        throw .invalidParameter(path.isEmpty ? "\(name)" : "\(path).\(name)")
    }

    /// Checks that no other member has a value.
    ///
    /// - Parameter isIgnored: Whether an unknown name is allowed.
    /// - Throws: ``VarlinkError`` that names the first one.
    package func finish(ignoring isIgnored: (Span<UInt8>) -> Bool = { _ in false }) throws(VarlinkError) {
        let message = context.message
        var position: UInt64 = 0
        var member = firstMember
        while member < end {
            if message[member + 1].kind != .null {
                guard seen & 1 << position != 0 || isIgnored(message.bytes.span.extracting(message[member].range))
                else { throw context.invalid(member) }
                position += 1
            }
            member = message[member + 1].next
        }
    }

    /// The object as a value.
    ///
    /// - Throws: ``VarlinkError`` for a repeated name, or a text with a surrogate without a partner.
    package func json() throws(VarlinkError) -> JSONValue {
        guard let number else { return [:] }
        return try VarlinkValue(context, number).json()
    }

    private var firstMember: Int { (number ?? 0) + 1 }
    private var end: Int { number.map { context.message[$0].next } ?? 0 }
}

/// A value in a message that is not null; each function throws an `InvalidParameter` with its path for another type.
package struct VarlinkValue: Sendable {
    private let context: VarlinkObject.Context
    private let number: Int

    fileprivate init(_ context: VarlinkObject.Context, _ number: Int) {
        self.context = context
        self.number = number
    }

    /// The error for a value that has the right type and is not allowed.
    package var error: VarlinkError { context.invalid(number) }

    private var message: JSONDocument { context.message }

    /// Returns a string.
    package func text() throws(VarlinkError) -> String {
        String(utf8: message.bytes.span.extracting(try range()))
    }

    /// Returns a string as its range in ``VarlinkObject/bytes``.
    package func range() throws(VarlinkError) -> Range<Int> {
        guard message[number].kind == .string, !message[number].isBroken else { throw error }
        return message[number].range
    }

    /// Returns `true` or `false`.
    package func truth() throws(VarlinkError) -> Bool {
        switch message[number].kind {
        case .true: return true
        case .false: return false
        default: throw error
        }
    }

    /// Returns an integer that fits the type.
    package func integer<Number: FixedWidthInteger>() throws(VarlinkError) -> Number {
        guard message[number].kind == .number, let value = Number(message.text(number)) else { throw error }
        return value
    }

    /// Returns a number that is finite.
    package func float() throws(VarlinkError) -> Double {
        guard message[number].kind == .number, let value = Double(message.text(number)), value.isFinite else {
            throw error
        }
        return value
    }

    /// Returns one of the values of an enumeration.
    package func choice<Choice: RawRepresentable<String>>() throws(VarlinkError) -> Choice {
        guard let choice = Choice(rawValue: try text()) else { throw error }
        return choice
    }

    /// Returns the elements of a list; an element can be null.
    package func elements() throws(VarlinkError) -> [VarlinkValue] {
        guard message[number].kind == .array else { throw error }
        return message.elements(of: number).map { VarlinkValue(context, $0) }
    }

    /// Returns the elements of a list of strings.
    package func texts() throws(VarlinkError) -> [String] {
        var texts: [String] = []
        for element in try elements() { texts.append(try element.text()) }
        return texts
    }

    /// Returns an object.
    package func object() throws(VarlinkError) -> VarlinkObject {
        guard message[number].kind == .object else { throw error }
        return VarlinkObject(context, number)
    }

    /// The object as parameters, at which paths start; nil if it is another value.
    var parameters: VarlinkObject? { message[number].kind == .object ? VarlinkObject(message, number) : nil }

    /// Returns any value.
    package func json() throws(VarlinkError) -> JSONValue {
        if let (number, _) = message.unusable(below: number) { throw context.invalid(number) }
        return message.value(number)
    }
}
