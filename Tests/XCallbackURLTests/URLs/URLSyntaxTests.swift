import TestSupport
import Testing
import XCallbackTesting
import XCallbackURL
import XCallbackWire

extension ActionURL {
    /// Parses a URL of another syntax.
    init(_ text: String, as syntax: URLSyntax) throws(ActionURLError) {
        self.init()
        try parse(text.utf8.span, as: syntax)
    }
}

/// URLs of the syntaxes `url` and `text`.
struct URLSyntaxTests {
    /// A URL, its user, host and port, and its segments.
    static let parts: [(text: String, authority: [String?], segments: [String])] = [
        ("ssh://ann@host.example:22", ["ann", "host.example", "22"], ["host.example"]),
        ("SSH://ann:pw@HOST.Example.:0022/a//b/", ["ann", "host.example", "22"], ["host.example", "a", "", "b", ""]),
        ("vnc://[2001:DB8:0::7]:5901", [nil, "[2001:db8::7]", "5901"], ["[2001:db8::7]"]),
        ("x://%61nn@h:/", ["ann", "h", nil], ["h"]), ("x://@h", [nil, "h", nil], ["h"]),
        ("x://h:0", [nil, "h", "0"], ["h"]), ("x://h:65535/a", [nil, "h", "65535"], ["h", "a"]),
        ("x:///a/b", [nil, nil, nil], ["a", "b"]), ("x:/a/b", [nil, nil, nil], ["a", "b"]),
        ("x:a/b", [nil, nil, nil], ["a", "b"]), ("x:", [nil, nil, nil], []), ("x:////a", [nil, nil, nil], ["", "a"]),
        ("x://h/a%2Fb/%C3%BC", [nil, "h", nil], ["h", "a/b", "ü"]),
        ("x://h/./..", [nil, "h", nil], ["h", ".", ".."]), ("x://h/%2e%2E", [nil, "h", nil], ["h", ".."]),
        ("x://h/ü%20|", [nil, "h", nil], ["h", "ü |"]), ("x://h/%zz%20", [nil, "h", nil], ["h", "%zz%20"]),
        ("x://h/%ff", [nil, "h", nil], ["h", "%ff"]), ("x://h/%00", [nil, "h", nil], ["h", "%00"]),
        ("https://127.0.0.1:8080/", [nil, "127.0.0.1", "8080"], ["127.0.0.1"]),
        ("https://a.b.3c", [nil, "a.b.3c", nil], ["a.b.3c"]), ("x://1.2.3", [nil, "1.2.3", nil], ["1.2.3"]),
        ("x://a%41", [nil, "a%41", nil], ["a%41"]),
        ("https://B\u{fc}cher.De", [nil, "b\u{fc}cher.de", nil], ["b\u{fc}cher.de"]),
        ("https://h/a/../%2E/b/.", [nil, "h", nil], ["h", "b", ""]), ("https://h/../a/.%2e", [nil, "h", nil], ["h"]),
        ("https://h//..//a", [nil, "h", nil], ["h", "", "a"]), ("x:/%2e%2e/", [nil, nil, nil], ["..", ""]),
    ]

    @Test(arguments: parts)
    func aURLHasItsParts(text: String, authority: [String?], segments: [String]) throws {
        let url = try ActionURL(text, as: .url)
        #expect([url.user, url.host, url.port] == authority)
        #expect(url.segments == segments)
        #expect(url.received == text)
    }

    static let refused: [(String, ActionURLError.Reason)] = [
        ("x://h\\@evil/", .backslash), ("x:a\\b", .backslash), ("x://h/\\evil", .backslash),
        ("x://h/a\tb", .rawControl), ("x://h/a b", .rawControl), ("x://h\n", .rawControl),
        ("x://h/\u{7f}", .rawControl),
        ("x://a@b@c", .ambiguousHost), ("x://a[@h", .ambiguousHost), ("x://h:x", .ambiguousHost),
        ("x://h:1:2", .ambiguousHost), ("x://h:65536", .ambiguousHost), ("x://h:-1", .ambiguousHost),
        ("x://[::1", .ambiguousHost), ("x://[::1]a", .ambiguousHost), ("x://[v1.a]", .ambiguousHost),
        ("x://[fe80::1%25eth0]", .ambiguousHost), ("x://[1.2.3.4]", .ambiguousHost), ("x://a<b", .ambiguousHost),
        ("x://a|b", .ambiguousHost), ("x://\(String(repeating: "a", count: 256))", .ambiguousHost),
        ("x://a^b", .ambiguousHost),
        ("x://a]b", .ambiguousHost),
        ("x://:22/", .missingHost), ("x://ann@/", .missingHost), ("x://.", .missingHost),
        ("https:///a", .missingHost), ("HTTP:a", .missingHost), ("https:", .missingHost), ("http:/h", .missingHost),
        ("https://h%41", .ambiguousHost), ("https://127.1", .ambiguousHost),
        ("http://2130706433", .ambiguousHost), ("http://0x7f.0.0.1", .ambiguousHost),
        ("http://1.2.3.0x", .ambiguousHost),
        ("http://127.0.0.01", .ambiguousHost), ("http://a.1", .ambiguousHost), ("http://1.2.3.4.5", .ambiguousHost),
        ("http://256.0.0.1", .ambiguousHost), ("1x://h", .missingScheme), ("", .missingScheme),
    ]

    @Test(arguments: refused)
    func whatProgramsReadDifferentlyIsNoURL(text: String, reason: ActionURLError.Reason) throws {
        let error = try #require(throws: ActionURLError.self) { try ActionURL(text, as: .url) }
        #expect(error.reason == reason)
        #expect(error.callbackError.code == .malformed)
    }

    /// Segments that programs read differently.
    static let raw = [
        "a||b", "ü", "{x}", "\"q\"", "a^b", ".", "..", "%2e", ".%2E", "%", "%g0", "%ff", "%00", "", "<a>",
    ]

    @Test(arguments: raw)
    func onlyWildcardsMatchARawSegment(segment: String) throws {
        let url = try ActionURL("x://h/\(segment)/end", as: .url)
        #expect(url.segmentRanges[2].isEmpty)
        #expect(!url.segmentRanges[3].isEmpty)
    }

    @Test func onlyWildcardsMatchAHostBeyondASCII() throws {
        expect(try ActionURL("https://bücher.example/a", as: .url).segmentRanges[1]) { $0.isEmpty }
        expect(try ActionURL("https://buecher.example/a", as: .url).segmentRanges[1]) { !$0.isEmpty }
    }

    @Test(arguments: [("ann:%70w@h", "pw"), ("ann:a:b@h", "a:b"), (":x@h", "x"), ("ann:@h", nil), ("ann@h:1", nil)])
    func aURLHasItsPassword(authority: String, password: String?) throws {
        let url = try ActionURL("x://\(authority)/a:b@c", as: .url)
        #expect(url.password == password)
        #expect(url.hasPassword == (password != nil))
    }

    @Test func noNameOfTheQueryIsReserved() throws {
        let url = try ActionURL(
            "x://h/?X-Amz-Signature=a&x-success=app:b&x-success=c&&n&e=&%41=%42&b=%&c=a+b#f?g", as: .url)
        #expect(
            url.items.texts == [
                "X-Amz-Signature=a", "x-success=app:b", "x-success=c", "n", "e=", "A=B", "b=%", "c=a+b",
            ])
        #expect(url.success == nil)
        #expect(url.protocolItems.isEmpty)
        #expect(url.fragment == "f?g")
        #expect(url.canonicalQuery == "X-Amz-Signature=a&x-success=app:b&x-success=c&n&e=&%41=%42&b=%&c=a+b")
    }

    /// URLs without an item, and the fragment.
    static let hidden: [(String, String)] = [
        ("x://ann@h:1?token=s3cret", "x://ann@h:1"),
        ("x://ann@h:1/a//b/?token=s3%63ret&b=%zz#t", "x://ann@h:1/a//b/?b=%zz#t"),
        ("x://ann@h:1/?b&token=s3cret", "x://ann@h:1/?b"),
    ]

    @Test(arguments: hidden)
    func aHiddenItemChangesNothingElse(text: String, rest: String) throws {
        var url = try ActionURL(text, as: .url)
        url.hideItems { areEqual($0, "token") }
        #expect(url.received == rest)
        #expect([url.user, url.host, url.port] == ["ann", "h", "1"])
        #expect(!String(decoding: url.storage.bytes[..<url.storage.count], as: UTF8.self).contains("s3"))
    }

    static let actions: [(text: String, syntax: URLSyntax, action: String)] = [
        ("x://ann:pw@H.:22/a%20b//ü/", .url, "//h/a%20b//%C3%BC/"), ("x:a/%62", .url, "/a/b"), ("x:", .url, "/"),
        ("x://[::1]", .url, "//%5B::1%5D"), ("x://\u{fc}/", .url, "//%C3%BC"), ("https://h/a/../b", .url, "//h/b"),
        ("x:a b\"".replacing(" ", with: "%20"), .text, "a%20b%22"),
    ]

    @Test(arguments: actions)
    func theActionIsThatOfAllSpellings(text: String, syntax: URLSyntax, action: String) throws {
        expect(try ActionURL(text, as: syntax).canonicalAction, equals: action)
    }

    @Test func textGoesThroughUnchanged() throws {
        var random = SeededGenerator(seed: 7)
        let alphabet = Array("ab/:?#[]@!$&'()*+,;=%{}|\\^\"<>`~-._é日🎉".unicodeScalars)
        var url = ActionURL()
        for _ in 0..<2000 {
            let count = random.below(20)
            let scalars = (0..<count).map { _ in alphabet[random.below(alphabet.count)] }
            let text = String(String.UnicodeScalarView(scalars))
            try url.parse("x:\(text)".utf8.span, as: .text)
            #expect(url.received == "x:\(text)")
            #expect(url.segments == (text.isEmpty ? [] : [text]))
            #expect(url.items.isEmpty && url.fragment == nil && url.host == nil)
        }
    }

    @Test(arguments: [URLSyntax.url, .text])
    func invalidTextIsRefused(syntax: URLSyntax) throws {
        var url = ActionURL()
        let error = try #require(throws: ActionURLError.self) {
            try url.parse(Array("x:a".utf8 + [0xFF]).span, as: syntax)
        }
        #expect(error.reason == .notUTF8)
        let other = try #require(throws: ActionURLError.self) { try url.parse("x:a b".utf8.span, as: syntax) }
        #expect(other.reason == .rawControl)
    }

    /// A value that has read a URL of one syntax reads the next one like a new value.
    @Test func nothingIsLeftOfTheURLBefore() throws {
        var url = ActionURL()
        try url.parse("x://ann@h:1/ü/?a=b#c".utf8.span, as: .url)
        try url.parse("app:/a?b=c&x-success=app:d".utf8.span, as: .callback)
        #expect(
            url.segments == ["a"] && url.items.texts == ["b=c"] && url.success == "app:d" && url.syntax == .callback)
        #expect(url.host == nil && url.user == nil && url.port == nil && url.fragment == nil)
        try url.parse("x:".utf8.span, as: .url)
        #expect(url.segments.isEmpty && url.items.isEmpty && url.success == nil)
    }

    /// Desktops write an empty port.
    @Test func anEmptyPortIsNoPort() throws {
        expect(try ActionURL("org-protocol://capture:/a").segments, equals: ["capture", "a"])
        expect(try ActionURL("org-protocol://c%61pture:").segments, equals: ["capture"])
        for text in ["app://:", "app://a:1", "app://a::", "app://a@b:", "app://[a]:"] {
            #expect(throws: ActionURLError.self) { try ActionURL(text) }
        }
    }
}
