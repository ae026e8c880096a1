import TestSupport
import Testing
import XCallbackRouter

struct RoutePatternTests {
    typealias Fault = (pattern: String, reason: RoutePatternError.Reason, position: Int)

    static let faults: [Fault] = [
        ("", .missingSlash, 0),
        ("notes", .missingSlash, 0),
        ("{{notes}}", .missingSlash, 2),
        (":id", .missingSlash, 0),
        ("/:", .missingName, 2),
        ("/:1", .missingName, 2),
        ("/:\"a", .unterminatedQuote, 2),
        ("/*\"a\\\"", .unterminatedQuote, 2),
        ("/a\\", .missingEscapedCharacter, 2),
        ("/my%20notes", .percentEscape("%20"), 3),
        ("/ü/:x-%c3%Bc%2F", .percentEscape("%c3"), 6),
        ("/a\\\\%0A", .percentEscape("%0A"), 4),
        ("/a}", .unexpectedBrace, 2),
        ("/a{b", .unterminatedGroup, 2),
        ("/a{b{c}", .unterminatedGroup, 2),
        ("/:a:b", .missingText(before: "b"), 3),
        ("/:a{-}:b", .missingText(before: "b"), 6),
        ("/:id/notes/:id", .repeatedName("id"), 11),
        ("/a{/:b}{/c/*b}", .repeatedName("b"), 11),
        ("/a//b", .emptySegment, 3),
        ("/{:a}/b", .emptySegment, 5),
        ("/a/.", .dotSegment, 3),
        ("/\\./a", .dotSegment, 1),
        ("/.{a}", .dotSegment, 1),
        ("/" + String(repeating: "{a}", count: 7), .tooManyAlternatives, 0),
        ("/" + String(repeating: "{", count: 64), .tooManyAlternatives, 64),
        (String(repeating: "/a", count: 129), .tooManySegments, 257),
    ]

    @Test(arguments: faults)
    func anInvalidPatternNamesItsFaultAndPlace(fault: Fault) throws {
        let error = try #require(throws: RoutePatternError.self) { try RoutePattern(fault.pattern) }
        #expect(error.reason == fault.reason)
        #expect(error.position == fault.position)
        #expect(error.pattern == fault.pattern)
    }

    @Test(arguments: "()[]+?!".map(String.init))
    func aReservedCharacterMustBeEscaped(character: String) throws {
        let error = try #require(throws: RoutePatternError.self) { try RoutePattern("/a" + character) }
        #expect(error.position == 2)
        #expect(error.description.hasPrefix("'\(character)' is reserved; put '\\' before it"))
        let hint = "?([".contains(character) ? "; \(RoutePatternError.syntaxHint)" : ""
        #expect(error.description.hasSuffix(", at position 2 of /a\(character)\(hint)"))
        _ = try RoutePattern("/a\\" + character)
    }

    @Test
    func capturesAreListedInTheOrderOfThePattern() throws {
        let pattern = try RoutePattern(#"/:b/*"a \"list\""{/:$_1{.:é}}-:x"#)
        #expect(pattern.captures.map(\.name) == ["b", "a \"list\"", "$_1", "é", "x"])
        #expect(pattern.captures.map(\.isWildcard) == [false, true, false, false, false])
        #expect(pattern.captures.map(\.isOptional) == [false, false, true, true, false])
    }

    @Test
    func theTextIsKeptAsWritten() throws {
        expect(try RoutePattern("/notes{/:id}/").text, equals: "/notes{/:id}/")
    }

    @Test
    func sixtyFourAlternativesAreAllowed() throws {
        _ = try RoutePattern("/a" + String(repeating: "{a}", count: 6))
        _ = try RoutePattern("/a" + String(repeating: "{a", count: 63) + String(repeating: "}", count: 63))
    }
}
