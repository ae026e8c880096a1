import Testing
import XCallbackWire

struct VarlinkInterfaceParsingTests {
    private static func members(_ text: String) throws -> [VarlinkInterface.Member] {
        try VarlinkInterface(parsing: "interface a.b\n\(text)").members
    }

    static let types: [(text: String, type: VarlinkType)] = [
        ("bool", .bool), ("int", .int), ("float", .float), ("string", .string), ("object", .object), ("any", .any),
        ("T", .named("T")), ("[]int", .array(.int)), ("[string]int", .map(.int)), ("?int", .optional(.int)),
        ("?[]?int", .optional(.array(.optional(.int)))), ("[][string][]T", .array(.map(.array(.named("T"))))),
        ("()", .structure([])), ("[string]()", .map(.structure([]))),
        ("(a: int, b: ?T)", .structure([.init("a", .int), .init("b", .optional(.named("T")))])),
        ("(one)", .enumeration([.init("one")])),
        ("(one,two , type)", .enumeration(["one", "two", "type"].map { .init($0) })),
        ("?(one, two)", .optional(.enumeration([.init("one"), .init("two")]))),
        (
            "(a:(b:(c:(d))))",
            .structure([.init("a", .structure([.init("b", .structure([.init("c", .enumeration([.init("d")]))]))]))])
        ),
    ]

    @Test(arguments: types)
    func everyTypeIsRead(text: String, type: VarlinkType) throws {
        let members = try Self.members("type T ()\nmethod M(x: \(text)) -> ()")
        #expect(members.last?.kind == .method(input: [.init("x", type)], output: []))
    }

    @Test func allKindsOfMembersAreRead() throws {
        let members = try Self.members("type S (a: int)\ntype E (a, b)\nmethod M() -> (a: E)\nerror X (b: S)")
        #expect(members.map(\.name) == ["S", "E", "M", "X"])
        #expect(members[0].kind == .type(.structure([.init("a", .int)])))
        #expect(members[1].kind == .type(.enumeration([.init("a"), .init("b")])))
        #expect(members[2].kind == .method(input: [], output: [.init("a", .named("E"))]))
        #expect(members[3].kind == .error([.init("b", .named("S"))]))
    }

    @Test func commentsAreKeptWithWhatFollowsThem() throws {
        let interface = try VarlinkInterface(
            parsing: """
                #First
                # second

                #
                interface a.b # not this one

                # of the method
                method M(
                  # of the field
                  a: int, # of the next one
                  b: (
                    # of the value
                    one
                    # of nothing
                  )
                ) -> () # not this one

                # of the error
                error X ()
                # the end
                """)
        #expect(interface.comment == ["First", "second", ""])
        #expect(interface.members.map(\.comment) == [["of the method"], ["of the error"]])
        guard case .method(let input, _) = interface.members[0].kind else { return #expect(Bool(false)) }
        #expect(input.map(\.comment) == [["of the field"], ["of the next one"]])
        #expect(input[1].type == .enumeration([.init("one", comment: ["of the value"])]))
    }

    @Test func allBlanksAndEndsOfLinesAreKnown() throws {
        for end in ["\n", "\r\n", "\r", "\u{2028}", "\u{2029}", " # x\n", "\u{A0}\u{3000}\n\n"] {
            let interface = try VarlinkInterface(
                parsing: "\u{FEFF}interface\u{2003}a.b\(end)method M\(end)(\(end))->\(end)()\(end)error\tX()")
            #expect(interface.members.map(\.name) == ["M", "X"], "\(end.debugDescription)")
        }
    }

    @Test(arguments: ["a.b", "a.b.c", "A.B", "org.example-1.x", "xn--abc.x", "a.1", "a-b.c", "a--b.c--d", "a1.b"])
    func aNameOfAnInterfaceIsOneOfADomain(name: String) throws {
        #expect(try VarlinkInterface(parsing: "interface \(name)\nmethod M()->()").name == name)
    }

    @Test(arguments: ["a", "a.", ".a", "1a.b", "-a.b", "a-.b", "a..b", "a.-b", "a.b-", "a_b.c", "é.b"])
    func aNameOfAnInterfaceIsNothingElse(name: String) {
        #expect(throws: InterfaceError.self) { try VarlinkInterface(parsing: "interface \(name)\nmethod M()->()") }
    }

    @Test(arguments: ["a", "A", "aB1", "a_b", "a_1_b", "type", "int"])
    func aNameOfAFieldMayHaveSingleUnderscores(name: String) throws {
        #expect(try Self.members("error X (\(name): int)")[0].kind == .error([.init(name, .int)]))
    }

    @Test(arguments: ["_a", "a_", "a__b", "1a", "a-b", "é", ""])
    func aNameOfAFieldIsNothingElse(name: String) {
        #expect(throws: InterfaceError.self) { try Self.members("error X (\(name): int)") }
    }

    static let faults: [(text: String, reason: InterfaceError.Reason, line: Int, column: Int)] = [
        ("", .expected("'interface'"), 1, 1), ("method M() -> ()", .expected("'interface'"), 1, 1),
        ("interface a.b", .expected("'type', 'method' or 'error'"), 1, 14),
        ("interface a.b method M() -> ()", .expected("the end of the line"), 1, 15),
        ("interface a.b\nmethod M() -> () error X ()", .expected("the end of the line"), 2, 18),
        ("interface a.b\n\n  methods M() -> ()", .expected("'type', 'method' or 'error'"), 3, 3),
        ("interface a.b\r\nmethod m() -> ()", .expected("a name that begins with a capital letter"), 2, 8),
        ("interface a.b\nmethod M() ()", .expected("'->'"), 2, 12),
        ("interface a.b\nmethod M()", .expected("'->'"), 2, 11),
        ("interface a.b\nmethod M(a, b) -> ()", .expected("parameters with their types"), 2, 9),
        ("interface a.b\nerror X", .expected("'('"), 2, 8), ("interface a.b\ntype T int", .expected("'('"), 2, 8),
        ("interface a.b\ntype T []int", .expected("'('"), 2, 8),
        ("interface a.b\nerror X (a: int,)", .expected("the name of a field"), 2, 17),
        ("interface a.b\nerror X (a: int b: int)", .expected("')'"), 2, 17),
        ("interface a.b\nerror X (a: int, b)", .expected("':'"), 2, 19),
        ("interface a.b\nerror X (a: ??int)", .expected("a type that is not optional"), 2, 15),
        ("interface a.b\nerror X (a: [int]int)", .expected("'[]' or '[string]'"), 2, 14),
        ("interface a.b\nerror X (a: number)", .expected("a type"), 2, 13),
        ("interface a.b\nerror X (a: Unknown)", .unknownType("Unknown"), 2, 13),
        ("interface a.b\nerror X (a: M)\nmethod M() -> ()", .unknownType("M"), 2, 13),
        ("interface a.b\nerror X (a: int, a: int)", .repeatedName("a"), 2, 18),
        ("interface a.b\ntype T (a, b, a)", .repeatedName("a"), 2, 15),
        ("interface a.b\nerror X ()\ntype X ()", .repeatedName("X"), 3, 6),
        ("# é\ninterface a.b\ntype T ( é )", .expected("the name of a field"), 3, 10),
    ]

    @Test(arguments: faults)
    func whatIsWrongIsToldWithItsPlace(text: String, reason: InterfaceError.Reason, line: Int, column: Int) {
        let error = #expect(throws: InterfaceError.self) { try VarlinkInterface(parsing: text) }
        #expect(error?.reason == reason)
        #expect(error.map { [$0.line, $0.column] } == [line, column])
    }

    @Test func depthIsBounded() {
        let type = String(repeating: "(a: ", count: 100) + "int" + String(repeating: ")", count: 100)
        let error = #expect(throws: InterfaceError.self) { try Self.members("error X \(type)") }
        #expect(error?.reason == .tooDeep(limit: 64))
        #expect(throws: InterfaceError.self) {
            try Self.members("error X (a: \(String(repeating: "[]", count: 99999))int)")
        }
    }

    @Test func lengthIsBounded() {
        let text = String(repeating: " ", count: VarlinkInterface.maximumLength + 1)
        let error = #expect(throws: InterfaceError.self) { try VarlinkInterface(parsing: text) }
        #expect(error?.description == "1:1: the description has more than 1048576 characters")
    }
}
