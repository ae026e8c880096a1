import Testing
import XCallbackRouting

struct RoutePatternTests {
    struct Fault: Sendable {
        let pattern: String
        let reason: RoutePatternError.Reason
        let position: Int

        init(_ pattern: String, _ reason: RoutePatternError.Reason, at position: Int) {
            self.pattern = pattern
            self.reason = reason
            self.position = position
        }
    }

    static let faults: [Fault] = [
        Fault("", .missingSlash, at: 0),
        Fault("{}", .missingSlash, at: 0),
        Fault("notes", .missingSlash, at: 0),
        Fault("{{notes}}", .missingSlash, at: 2),
        Fault(":id", .missingSlash, at: 0),
        Fault("\\/a", .missingSlash, at: 0),
        Fault("/:", .missingName, at: 2),
        Fault("/:/a", .missingName, at: 2),
        Fault("/*", .missingName, at: 2),
        Fault("/:1", .missingName, at: 2),
        Fault("/é:-", .missingName, at: 3),
        Fault("/:\"\"", .missingName, at: 2),
        Fault("/:\"a", .unterminatedQuote, at: 2),
        Fault("/*\"a\\\"", .unterminatedQuote, at: 2),
        Fault("/a:\"a\\", .unterminatedQuote, at: 3),
        Fault("/a\\", .missingEscapedCharacter, at: 2),
        Fault("/my%20notes", .percentEscape("%20"), at: 3),
        Fault("/ü/:x-%c3%Bc%2F", .percentEscape("%c3"), at: 6),
        Fault("/%FF", .percentEscape("%FF"), at: 1),
        Fault("/a\\\\%0A", .percentEscape("%0A"), at: 4),
        Fault("/a}", .unexpectedBrace, at: 2),
        Fault("/a{b}}", .unexpectedBrace, at: 5),
        Fault("/a{b", .unterminatedGroup, at: 2),
        Fault("/a{b{c}", .unterminatedGroup, at: 2),
        Fault("/:a:b", .missingText(before: "b"), at: 3),
        Fault("/:a*b", .missingText(before: "b"), at: 3),
        Fault("/*a:b", .missingText(before: "b"), at: 3),
        Fault("/:a{-}:b", .missingText(before: "b"), at: 6),
        Fault("/:id/notes/:id", .repeatedName("id"), at: 11),
        Fault("/a{/:b}{/c/*b}", .repeatedName("b"), at: 11),
        Fault("//", .emptySegment, at: 1),
        Fault("/a//b", .emptySegment, at: 3),
        Fault("/{:a}/b", .emptySegment, at: 5),
        Fault("/a/.", .dotSegment, at: 3),
        Fault("/../a", .dotSegment, at: 1),
        Fault("/\\./a", .dotSegment, at: 1),
        Fault("/.{a}", .dotSegment, at: 1),
        Fault("/" + String(repeating: "{a}", count: 7), .tooManyAlternatives, at: 0),
        Fault("/" + String(repeating: "{", count: 64), .tooManyAlternatives, at: 64),
        Fault(String(repeating: "/a", count: 129), .tooManySegments, at: 257),
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
        #expect(try RoutePattern("/notes{/:id}/").text == "/notes{/:id}/")
    }

    @Test
    func sixtyFourAlternativesAreAllowed() throws {
        _ = try RoutePattern("/a" + String(repeating: "{a}", count: 6))
        _ = try RoutePattern("/a" + String(repeating: "{a", count: 63) + String(repeating: "}", count: 63))
    }
}
