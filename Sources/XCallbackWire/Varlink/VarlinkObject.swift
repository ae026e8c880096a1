/// An object in a message, whose members are read by name.
///
/// What does not fit is an `InvalidParameter` with its path. A member that is null counts as missing.
///
///     let parameters = VarlinkObject(call, in: message)
///     try parameters.check(["url", "follow"])
///     url = try parameters.required("url").text()
///     follow = try parameters.optional("follow")?.truth() ?? false
package struct VarlinkObject {
    private let message: JSONDocument
    /// The value at which paths start.
    private let root: Int
    /// The number of the object; nil for a call without parameters.
    private let number: Int?

    /// The parameters of a call, which are not checked yet.
    ///
    /// They share the memory of the message: the next message needs new memory if they are kept until then.
    package init(_ call: VarlinkCall, in message: JSONDocument) {
        self.init(message, call.parameters)
    }

    /// Creates the object with a number; paths start at another value, or at the object itself.
    init(_ message: JSONDocument, _ number: Int?, root: Int? = nil) {
        self.message = message
        self.root = root ?? number ?? 0
        self.number = number
    }

    /// The bytes that ``VarlinkValue/range()`` refers to.
    package var bytes: [UInt8] { message.bytes }

    /// Checks that no member is unknown or repeated.
    ///
    /// - Parameter names: The known members, at most 16.
    /// - Throws: ``VarlinkError`` that names the first one.
    package func check(_ names: [StaticString]) throws(VarlinkError) {
        guard let number else { return }
        do throws(JSONDocument.UnknownName) {
            _ = try message.values(named: names, of: number)
        } catch {
            throw VarlinkValue(message: message, root: root, number: error.number).error
        }
    }

    /// Returns the value of a member; nil if it is missing or null.
    package func optional(_ name: StaticString) -> VarlinkValue? {
        guard let number = numberOfValue(name) else { return nil }
        return VarlinkValue(message: message, root: root, number: number)
    }

    /// Not inlined, so that only values that are there count references to the message.
    @inline(never)
    private func numberOfValue(_ name: StaticString) -> Int? {
        number.flatMap { message.value(named: name, of: $0) }
    }

    /// Returns the value of a member.
    ///
    /// - Throws: ``VarlinkError`` if it is missing.
    package func required(_ name: StaticString) throws(VarlinkError) -> VarlinkValue {
        if let value = optional(name) { return value }
        let path = number.map { message.path(to: $0, from: root) } ?? ""
        throw .invalidParameter(path.isEmpty ? "\(name)" : "\(path).\(name)")
    }

    /// The object as a value.
    ///
    /// - Throws: ``VarlinkError`` for a repeated name, or a text with a surrogate without a partner.
    package func json() throws(VarlinkError) -> JSONValue {
        guard let number else { return [:] }
        return try VarlinkValue(message: message, root: root, number: number).json()
    }
}

/// A value in a message that is not null; each function throws an `InvalidParameter` with its path for another type.
package struct VarlinkValue {
    fileprivate let message: JSONDocument
    fileprivate let root: Int
    fileprivate let number: Int

    /// The error for a value that has the right type and is not allowed.
    package var error: VarlinkError { error(at: number) }

    private func error(at number: Int) -> VarlinkError {
        let path = message.path(to: number, from: root)
        return .invalidParameter(path.isEmpty ? "parameters" : path)
    }

    /// Returns a string.
    package func text() throws(VarlinkError) -> String {
        message.text(try range())
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
        return message.elements(of: number).map { VarlinkValue(message: message, root: root, number: $0) }
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
        return VarlinkObject(message, number, root: root)
    }

    /// Returns any value.
    package func json() throws(VarlinkError) -> JSONValue {
        if let (number, _) = message.unusable(below: number) { throw error(at: number) }
        return message.value(number)
    }
}
