import Testing
import XCallbackURL

struct ParameterTypeTests {
    static let accepted: [(ParameterType, [String])] = [
        (.integer, ["0", "7", "-7", "-0", "007", "-007", "9223372036854775807", "-9223372036854775808"]),
        (.integer, ["0000000000000000000000000000000000000001"]),
        (.number, ["0", "-0", "007.50", "-7", "0.5", "1e6", "1E6", "1e+6", "1e-6", "-1.5e-3", "1e308", "1e-400"]),
        (.number, ["9223372036854775808", "1.7976931348623157e308", "0.1e309", "0000e999999999999999999999999"]),
        (.number, [String(repeating: "9", count: 308), String(repeating: "0", count: 400) + "1"]),
        (.boolean, ["true", "false", "yes", "no", "1", "0", "True", "TRUE", "Yes", "nO"]),
        (.string, ["", " ", "text", "Grüße", "-", "a\nb", "🇫🇷", "\u{7f}"]),
        (.date, ["2026-01-31", "0000-02-29", "2000-02-29", "2024-02-29", "9999-12-31", "2026-04-30"]),
        (.date, ["2026-01-31T08:00:00Z", "2026-01-31T23:59:59Z", "2026-01-31T00:00:00.1Z"]),
        (.date, ["2026-01-31T08:00:00.123456789Z", "2026-01-31T08:00:00+01:00", "2026-01-31T08:00:00.5-23:59"]),
        (.date, ["2026-01-31T08:00:00-00:00"]),
        (.url, ["https://example.org/", "a:b", "notes:/x?y=%20#z", "x+y-z.1:!", "http://exämple.org/ß", "X:%2f"]),
        (.uuid, ["f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"]),
        (.uuid, ["00000000-0000-0000-0000-000000000000", "ffffffff-FFFF-ffff-FFFF-ffffffffffff"]),
        (.data, ["TWFu", "TWE=", "TWE", "TQ==", "TQ", "++//", "--__", "/w==", "_w", "AAAA", "20240131"]),
        (.data, ["f81d4fae-7dec-11d0-a765-00a0c91e6bf6"]),
        (.json, ["{}", "[1, 2]", "\"a\"", " null ", "7", "{\"a\": {\"b\": [true]}}"]),
        (.file, ["a", "/a b", "-a", "file:///a%20b", "a\nb", ".."]),
        (.enumeration(["low", "high", "größer"]), ["low", "high", "größer"]),
    ]

    static let refused: [(ParameterType, [String])] = [
        (.integer, ["", "-", "+1", "--1", "1-", " 1", "1 ", "1.0", "1e3", "0x10", "a", "１", "1\0"]),
        (.integer, ["9223372036854775808", "-9223372036854775809", "99999999999999999999", "1_000"]),
        (.number, ["", "-", "+1", ".5", "1.", "1.e5", "e5", "1e", "1e+", "1e-", "1e1.5", "0x1p3", "1,5", "1 "]),
        (.number, ["inf", "-inf", "nan", "NaN", "Infinity", "1e309", "-1e400", "1.7976931348623159e308", "1d3"]),
        (.number, [String(repeating: "9", count: 310), "1e99999999999999999999999999999", "1..5", "--1"]),
        (.boolean, ["", "on", "off", "y", "2", "00", "true ", "t"]),
        (.date, ["", "2026", "2026-01", "20260131", "2026-1-31", "2026-13-01", "2026-00-10", "2026-01-00"]),
        (.date, ["2026-01-32", "2026-04-31", "2026-02-29", "1900-02-29", "2100-02-29", "2024-02-30", "+2026-01-31"]),
        (.date, ["2026/01/31", "2026-01-31T", "2026-01-31T08:00Z", "2026-01-31T08:00:00", "2026-01-31 08:00:00Z"]),
        (.date, ["2026-01-31t08:00:00Z", "2026-01-31T08:00:00z", "2026-01-31T24:00:00Z", "2026-01-31T08:60:00Z"]),
        (.date, ["2026-12-31T23:59:60Z", "2026-01-31T08:00:00.Z", "2026-01-31T08:00:00.1234567890Z"]),
        (.date, ["2026-01-31T08:00:00,5Z", "2026-01-31T08:00:00+0100", "2026-01-31T08:00:00+01"]),
        (.date, ["2026-01-31T08:00:00+24:00", "2026-01-31T08:00:00+01:60", "2026-01-31T08:00:00.5", "2026-01-31Z"]),
        (.date, ["2026-01-31T08:00:00ZZ", "2026-01-31T08-00-00Z", "2026-W05-6", "2026-031", "２026-01-31"]),
        (.url, ["", ":", "a", "a:", ":b", "1a:b", "a b:c", "a:b c", "a:b\n", "a:\u{7f}", "//host/path", "/path"]),
        (.url, ["a:%", "a:%2", "a:%2g", "a:%g2", "ä:b", "a:b\u{85}", "a:b\u{a0}c", "a:\u{2028}", "a:\u{3000}"]),
        (.uuid, ["", "f81d4fae7dec11d0a76500a0c91e6bf6", "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}"]),
        (.uuid, ["f81d4fae-7dec-11d0-a765-00a0c91e6bfg", "f81d4fae-7dec-11d0-a765-00a0c91e6bf"]),
        (.uuid, ["f81d4fae-7dec-11d0-a76500-a0c91e6bf6", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"]),
        (.data, ["", "=", "==", "A", "AAAAA", "TWE==", "TQ=", "TQ===", "TWFu=", "TWFu====", "=TWF", "TW=E"]),
        (.data, ["+-", "+_++", "TW Fu", "TWFu\n", "TQ==\n", "TR", "TR==", "TWF", "TWF=", "T.Fu", "ÄÄ"]),
        (.json, ["", "{", "a", "{a: 1}", "[1,]", "1 2", "'a'", "{\"a\": 1, \"a\": 2}"]),
        (.file, [""]),
        (.enumeration(["low", "high"]), ["", "Low", "low ", "lo", "lows", "medium"]),
        (.enumeration(["gr\u{f6}\u{df}er"]), ["gro\u{308}\u{df}er"]),
        (.enumeration([]), ["", "low"]),
    ]

    @Test(arguments: accepted)
    func aValueOfTheTypeIsAccepted(type: ParameterType, texts: [String]) {
        for text in texts { #expect(type.accepts(text), "\(type.name): \(text)") }
    }

    @Test(arguments: refused)
    func anyOtherTextIsRefused(type: ParameterType, texts: [String]) {
        for text in texts { #expect(!type.accepts(text), "\(type.name): \(text)") }
    }

    @Test func aURLThatIsNotUTF8IsRefused() {
        let surrogate: [UInt8] = [0x61, 0x3A, 0xED, 0xA0, 0x80]
        #expect(!ParameterType.url.accepts(surrogate))
        #expect(!ParameterType.url.accepts([0x61, 0x3A, 0xFF]))
    }

    @Test func everySimpleNameMakesTheTypeThatHasIt() {
        #expect(ParameterType.simpleNames.map { ParameterType(name: $0)?.name } == ParameterType.simpleNames)
        #expect(ParameterType.names == ParameterType.simpleNames + ["enum", "list"])
    }

    @Test(arguments: [
        ("true", "true"), ("yes", "true"), ("1", "true"), ("false", "false"), ("no", "false"), ("0", "false"),
        ("2", nil), ("", nil),
    ])
    func aBooleanHasOneCanonicalSpelling(text: String, spelling: String?) {
        #expect(ParameterType.boolean.canonical(text) == spelling)
    }
}
