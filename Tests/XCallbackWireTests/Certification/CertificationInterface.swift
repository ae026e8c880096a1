import XCallbackWire

/// The interface `org.varlink.certification`: what each method gets and gives.
enum CertificationInterface {
    static let name = "org.varlink.certification"

    /// The methods in the order in which they have to be called.
    static let methods = ["Start"] + tests + ["End"]

    static let tests = (1...11).map { $0 < 10 ? "Test0\($0)" : "Test\($0)" }

    static let description = """
        # Proves that a client and a server understand each other: the client calls the methods in their order, each
        # with what the one before it has given.
        interface org.varlink.certification

        type Interface (
          foo: ?[]?[string](foo, bar, baz),
          anon: (foo: bool, bar: bool)
        )

        type MyType (
          object: object,
          enum: (one, two, three),
          struct: (first: int, second: string),
          array: []string,
          dictionary: [string]string,
          stringset: [string](),
          nullable: ?string,
          nullable_array_struct: ?[](first: int, second: string),
          interface: Interface
        )

        method Start() -> (client_id: string)

        method Test01(client_id: string) -> (bool: bool)

        method Test02(client_id: string, bool: bool) -> (int: int)

        method Test03(client_id: string, int: int) -> (float: float)

        method Test04(client_id: string, float: float) -> (string: string)

        method Test05(client_id: string, string: string) -> (bool: bool, int: int, float: float, string: string)

        method Test06(client_id: string, bool: bool, int: int, float: float, string: string) -> (
          struct: (bool: bool, int: int, float: float, string: string)
        )

        method Test07(client_id: string, struct: (bool: bool, int: int, float: float, string: string)) -> (
          map: [string]string
        )

        method Test08(client_id: string, map: [string]string) -> (set: [string]())

        method Test09(client_id: string, set: [string]()) -> (mytype: MyType)

        # Has ten replies.
        method Test10(client_id: string, mytype: MyType) -> (string: string)

        # Has none.
        method Test11(client_id: string, last_more_replies: []string) -> ()

        method End(client_id: string) -> (all_ok: bool)

        # The client has not called Start.
        error ClientIdError ()

        # Something else was expected.
        error CertificationError (wants: object, got: object)
        """

    private static let structure: JSONValue = [
        "bool": .bool(false), "int": .number(2), "float": number("3.141592653589793"),
        "string": .string("a lot of string"),
    ]

    private static let map: JSONValue = ["foo": .string("Foo"), "bar": .string("Bar")]
    private static let set: JSONValue = ["one": [:], "two": [:], "three": [:]]

    private static let myType: JSONValue = [
        "object": ["method": .string("\(name).Test09"), "parameters": ["map": map]],
        "enum": .string("two"), "struct": ["first": .number(1), "second": .string("2")],
        "array": .array(["one", "two", "three"].map { .string($0) }), "dictionary": map, "stringset": set,
        "interface": [
            "foo": .array([
                .null, ["foo": .string("foo"), "bar": .string("bar")], .null,
                ["one": .string("foo"), "two": .string("bar")],
            ]), "anon": ["foo": .bool(true), "bar": .bool(false)],
        ],
    ]

    /// What `Test10` replies.
    static let streamed = (1...10).map { JSONValue.string("Reply number \($0)") }

    /// What each of `Test01` to `Test11` replies, and `Test10` with its last reply.
    static let replies: [JSONValue] = [
        ["bool": .bool(true)], ["int": .number(1)], ["float": number("1.0")], ["string": .string("ping")], structure,
        ["struct": structure], ["map": map], ["set": set], ["mytype": myType], ["string": streamed[9]], [:],
    ]

    /// What each of `Test01` to `Test11` wants besides the client's name.
    static let wanted: [JSONValue] = [[:]] + replies.prefix(9) + [["last_more_replies": .array(streamed)]]

    private static func number(_ text: String) -> JSONValue { JSONNumber(text).map { .number($0) } ?? .null }
}

extension JSONValue {
    /// Whether two values mean the same: the order of members, absent ones and the writing of numbers do not matter.
    func means(_ other: JSONValue) -> Bool {
        switch (self, other) {
        case (.number(let own), .number(let other)): return Double(own.text) == Double(other.text)
        case (.array(let own), .array(let other)):
            return own.count == other.count && zip(own, other).allSatisfy { $0.means($1) }
        case (.object(let own), .object(let members)):
            return own.allSatisfy { $0.value.means(other[$0.name] ?? .null) }
                && members.allSatisfy { $0.value.means(self[$0.name] ?? .null) }
        default: return self == other
        }
    }

    /// The object with a member more, which is the first.
    func adding(_ name: String, _ value: JSONValue) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object([Member(name, value)] + members)
    }
}
