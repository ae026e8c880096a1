import Testing
import XCallbackURL

struct ActionURLErrorTests {
    static let faults: [(text: String, reason: ActionURLError.Reason, offset: Int)] = [
        ("", .missingScheme, 0), ("a", .missingScheme, 0), (":/a", .missingScheme, 0), ("1a:/b", .missingScheme, 0),
        ("/a:b", .missingScheme, 0), ("a b:/c", .missingScheme, 0), ("é:/a", .missingScheme, 0),
        ("no_tes:/a", .missingScheme, 0), (" notes:/a", .missingScheme, 0), ("+a:/b", .missingScheme, 0),
        ("notes:/a b", .rawControl, 8), ("notes:/a\tb", .rawControl, 8), ("notes://a b/c", .rawControl, 9),
        ("notes:/a?b c", .rawControl, 10), ("notes:/a?b=\u{7F}", .rawControl, 11), ("notes:/a#b\n", .rawControl, 10),
        ("notes:/a\0", .rawControl, 8), ("notes:/a?x-success=a b", .rawControl, 20),
        ("notes:/%", .badEscape, 7), ("notes:/%4", .badEscape, 7), ("notes:/a%zz", .badEscape, 8),
        ("notes:/%41%g1", .badEscape, 10), ("notes:/a?b=%4&c", .badEscape, 11), ("notes:/a?%=1", .badEscape, 9),
        ("notes:/%4/1", .badEscape, 7), ("notes://%zz/a", .badEscape, 8), ("notes:/a?b=%%41", .badEscape, 11),
        ("notes:/a?b=%é", .badEscape, 11), ("notes:/a?x-success=%", .badEscape, 19),
        ("notes:/%FF", .notUTF8, 7), ("notes:/a/%C3", .notUTF8, 9), ("notes:/a?b=%C0%80", .notUTF8, 11),
        ("notes:/a?%ED%A0%80=1", .notUTF8, 9), ("notes:/%C3/%A9", .notUTF8, 7), ("notes:/%F4%90%80%80", .notUTF8, 7),
        ("notes:/%00", .nul, 7), ("notes:/a?b=a%00", .nul, 11), ("notes:/a?b%00=", .nul, 9),
        ("notes://x-callback-url//a", .emptySegment, 23), ("notes:/a//b", .emptySegment, 9),
        ("notes:/a//", .emptySegment, 9), ("notes:////", .emptySegment, 9),
        ("notes:/x-callback-url//a", .emptySegment, 22),
        ("notes:a//b", .emptySegment, 8),
        ("notes:/.", .dotSegment, 7), ("notes:/..", .dotSegment, 7), ("notes:/a/../b", .dotSegment, 9),
        ("notes:/%2e%2E", .dotSegment, 7), ("notes:/.%2e/a", .dotSegment, 7), ("notes:/a/%2E", .dotSegment, 9),
        ("notes://../a", .dotSegment, 8), ("notes://%2e/a", .dotSegment, 8), ("notes:..", .dotSegment, 6),
    ]

    @Test(arguments: faults)
    func aFaultIsReportedWithItsReasonAndPlace(text: String, reason: ActionURLError.Reason, offset: Int) throws {
        let error = try #require(throws: ActionURLError.self) { try ActionURL(text) }
        #expect(error == ActionURLError(reason, at: offset))
        #expect(error.callbackError.code == .malformed)
        #expect(error.callbackError.message == "The URL has \(error).")
    }

    @Test(arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func rawBytesThatAreNotUTF8AreRefused(bytes: [UInt8]) throws {
        for prefix in ["notes:/", "notes://", "notes:/a?", "notes:/a?b="] {
            let error = try #require(throws: ActionURLError.self) {
                try ActionURL(bytes: Array(prefix.utf8) + bytes)
            }
            #expect(error == ActionURLError(.notUTF8, at: prefix.utf8.count))
        }
    }

    static let errorCallbacks: [(String, String?)] = [
        ("notes:/%zz?x-error=app:/e", "app:/e"), ("notes:/a?b=%&x-error=app:/e", "app:/e"),
        ("notes:/a?x-success=%&x-error=app%3A/e", "app:/e"), ("notes:/..?x%2Derror=app:/e#f", "app:/e"),
        ("notes:/..?x-error=a:&x-error=b:", nil), ("notes:/..?x-error=%zz", ""), ("notes:/..?x-error=%FF", ""),
        ("notes:/..#?x-error=a:", nil), ("notes:/..?X-Error=a:", nil), ("notes:/..?x-error", ""), ("notes", nil),
        ("notes:/..?x-error&x-error=a:", nil),
        ("notes:/..", nil), ("notes:/..?%=1&x-error=a:", "a:"), ("notes:/..?x-error=a:?b=c", "a:?b=c"),
    ]

    @Test(arguments: errorCallbacks)
    func theOneErrorCallbackOfAFaultyURLIsFound(text: String, callback: String?) {
        var url = ActionURL()
        let isURL = url.isParsed(text)
        #expect(!isURL)
        url.keepOnlyErrorCallback(of: Array(text.utf8).span)
        #expect(url.error == callback)
        #expect(url.success == nil)
        #expect(url.cancel == nil)
    }
}
