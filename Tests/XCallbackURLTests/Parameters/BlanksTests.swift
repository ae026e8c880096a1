import Testing
import XCallbackURL

struct BlanksTests {
    static let texts = [
        ("notes:/a?b=c%20d+e", "notes:/a?b=c%20d+e"),
        ("notes:/a b?c=\t\n\r\u{0}\u{7F} ", "notes:/a%20b?c=%09%0A%0D%00%7F%20"),
        ("notes:/é日本 ", "notes:/é日本%20"), ("", ""),
    ]

    @Test(arguments: texts)
    func onlyBlanksAndControlCharactersAreEncoded(text: String, encoded: String) {
        #expect(text.withEncodedBlanks == encoded)
    }
}
