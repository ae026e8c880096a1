import Testing
import XCallbackConfiguration

struct SyntaxFaultTests {
    static let rows: [(String, String)] = [
        ("a: 1\n\tb: 2\n", "2:1: expected spaces for the indentation, found a tab"),
        ("\ta: 1\n", "1:1: expected spaces for the indentation, found a tab"),
        ("a: [1, 2\nb: 3\n", "2:2: expected ',' or ']' in a list; the list begins at config.yaml:1:4"),
        ("a: {b: 1\nc: 2\n", "2:2: expected ',' or '}' in a mapping; the mapping begins at config.yaml:1:4"),
        ("a: {b: [c}\n", "1:10: expected ',' or ']' in a list"),
        ("a: [b\n", "1:4: the list that begins here is not closed"),
        ("a: {b: 1\n", "1:4: the mapping that begins here is not closed"),
        ("a: [b", "1:4: the list that begins here is not closed"),
        ("a: {b: 1", "1:4: the mapping that begins here is not closed"),
        ("a: [\n", "2:1: expected a value"),
        ("a: [", "1:5: expected a value"),
        ("a: [,]\n", "1:5: expected a value"),
        ("a: \"x\nb: 2\n", "1:4: the quoted text that begins here is not closed"),
        ("a: 'x\n---\n", "1:4: the quoted text that begins here is not closed before the document ends"),
        ("a: 'it's'\n", "1:8: expected the end of the line: a single quote within single quotes is written twice"),
        ("[a, b]]\n", "1:7: expected the end of the line"),
        ("a: |x\n  b\n", "1:5: expected the end of the line"),
        ("a: b: c\n", "1:5: a ':' is not expected here; check the indentation, or quote a text that holds one"),
        ("a: - b\n", "1:4: a '-' is not expected here; a list begins on a line of its own"),
        ("a: ?\n", "1:4: a key is not expected here"),
        ("a:\n  - 1\n b: 2\n", "3:2: expected a key; check the indentation; the mapping begins at config.yaml:1:1"),
        (
            "- a\nb: 1\n",
            "2:1: expected a '-' for the next item of the list; check the indentation; the list begins at config.yaml:1:1"
        ),
        ("a: 1\nbb\nc: 2\n", "2:1: expected a ':' after this key"),
        ("a: 1\n...\nb\n", "3:1: expected the end of the file; check the indentation"),
        ("a: @x\n", "1:4: a text cannot begin with this character; put it in quotes"),
        ("a: \"\\q\"\n", "1:5: unknown escape in a text in double quotes; a backslash itself is written '\\\\'"),
        ("a: \"\\xZZ\"\n", "1:7: expected hexadecimal digits in an escape"),
        (
            "a: & b\n",
            "1:5: expected a name of letters, digits, '-' and '_' for an anchor or alias: text that begins with '*' or '&' needs quotes"
        ),
        ("a: !x!y b\n", "1:4: unknown tag"),
        ("%YAML 3.0\n---\na: 1\n", "1:1: found incompatible YAML document"),
    ]

    @Test(arguments: rows)
    func aSyntaxFaultSaysWhatIsExpectedWhere(yaml: String, expected: String) {
        #expect(faultLines(of: yaml) == ["config.yaml:" + expected])
    }
}
