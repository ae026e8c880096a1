import XCallbackPipeline
package import XCallbackURL
package import XCallbackWire

/// A value that can be read from a reply of the daemon.
package protocol ReplyValue {
    /// Reads a value.
    ///
    /// - Throws: ``ReplyFault`` if it has another type.
    init(reading value: JSONValue) throws(ReplyFault)
}

/// A member of a reply does not match the interface.
package struct ReplyFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The names of the members on the way to it, outermost first.
    package var path: [String] = []

    /// The problem.
    package var description: String { "a reply whose member '\(path.joined(separator: "."))' is wrong" }
}

extension JSONValue {
    /// Reads a member of an object; a missing member is read as null.
    ///
    /// - Throws: ``ReplyFault`` if it has another type.
    package func read<Value: ReplyValue>(_ name: String) throws(ReplyFault) -> Value {
        do throws(ReplyFault) {
            return try Value(reading: self[name] ?? .null)
        } catch {
            throw ReplyFault(path: [name] + error.path)
        }
    }

    /// Unwraps a required value.
    ///
    /// - Throws: ``ReplyFault`` if it is nil.
    fileprivate func wanted<Value>(_ value: Value?) throws(ReplyFault) -> Value {
        guard let value else { throw ReplyFault() }
        return value
    }
}

extension String: ReplyValue {
    /// Reads a string.
    package init(reading value: JSONValue) throws(ReplyFault) { self = try value.wanted(value.text) }
}

extension Bool: ReplyValue {
    /// Reads `true` or `false`.
    package init(reading value: JSONValue) throws(ReplyFault) { self = try value.wanted(value.truth) }
}

extension FixedWidthInteger where Self: ReplyValue {
    /// Reads an integer.
    package init(reading value: JSONValue) throws(ReplyFault) {
        self = try value.wanted(value.integer.flatMap(Self.init(exactly:)))
    }
}

extension Int: ReplyValue {}
extension UInt32: ReplyValue {}
extension Int32: ReplyValue {}

extension Duration: ReplyValue {
    /// Reads a number of seconds.
    package init(reading value: JSONValue) throws(ReplyFault) {
        guard case .number(let number) = value, let seconds = Double(number.text), abs(seconds) < 1e12 else {
            throw ReplyFault()
        }
        self = .seconds(seconds)
    }
}

extension Optional: ReplyValue where Wrapped: ReplyValue {
    /// Reads a value or `null`.
    package init(reading value: JSONValue) throws(ReplyFault) {
        self = value == .null ? nil : try Wrapped(reading: value)
    }
}

extension Array: ReplyValue where Element: ReplyValue {
    /// Reads a list.
    package init(reading value: JSONValue) throws(ReplyFault) {
        var elements: [Element] = []
        for element in try value.wanted(value.elements) { elements.append(try Element(reading: element)) }
        self = elements
    }
}

extension RawRepresentable where Self: ReplyValue, RawValue == String {
    /// Reads one of a fixed set of words.
    package init(reading value: JSONValue) throws(ReplyFault) {
        self = try value.wanted(value.text.flatMap(Self.init(rawValue:)))
    }
}

extension Origin: ReplyValue {}

extension Peer: ReplyValue {
    /// Reads a process.
    package init(reading value: JSONValue) throws(ReplyFault) {
        try self.init(userID: value.read("uid"), groupID: value.read("gid"), processID: value.read("pid"))
    }
}

extension QueryItems: ReplyValue {
    /// Reads items.
    package init(reading value: JSONValue) throws(ReplyFault) {
        self.init()
        for item in try value.wanted(value.elements) { append(try item.read("name"), try item.read("value")) }
    }
}

extension QueryItems {
    /// The items in the format of the interface.
    package var wire: JSONValue {
        .array(map { ["name": .string($0.name), "value": $0.value.map { .string($0) } ?? .null] })
    }
}

extension CallbackError {
    /// The code and the message, as members of an object.
    package var members: [JSONValue.Member] {
        [.init("code", .number(JSONNumber(code.rawValue))), .init("message", .string(message))]
    }
}
