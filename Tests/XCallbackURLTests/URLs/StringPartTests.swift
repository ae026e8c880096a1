import Testing
import XCallbackWire

/// What is searched in texts and replaced, byte by byte.
struct StringPartTests {
    @Test(arguments: [
        ("notes:/read", ":/", true), ("notes:/read", "/:", false), ("aab", "ab", true), ("a", "aa", false),
        ("", "a", false), ("a", "", true), ("", "", true), ("a\r\nb", "\n", true), ("it'\u{301}s", "'", true),
    ])
    func aTextHoldsAnother(text: String, part: String, isThere: Bool) {
        #expect(text.contains(text: part) == isThere)
        #expect(Substring(text).contains(text: part) == isThere)
    }

    @Test(arguments: [
        ("a{b}", "{", "{{", "a{{b}"), ("\\a\\", "\\", "\\\\", "\\\\a\\\\"), ("aaa", "aa", "b", "ba"),
        ("ab", "c", "d", "ab"), ("", "a", "b", ""), ("a&&b", "&&", ";", "a;b"), ("a\r\nb", "\n", " ", "a\r b"),
        ("éa", "a", "", "é"),
    ])
    func eachPartIsReplaced(text: String, part: String, other: String, result: String) {
        #expect(text.replacing(each: part, with: other) == result)
    }
}
