import Testing
import XCallbackConfiguration

struct SyntaxFaultTests {
    static let rows: [(String, String)] = [
        ("a: 1\n\tb: 2\n", "2:1: expected spaces for the indentation, found a tab\n  2 |     b: 2\n    | ^~~~"),
        ("\ta: 1\n", "1:1: expected spaces for the indentation, found a tab\n  1 |     a: 1\n    | ^~~~"),
        (
            "a: [1, 2\nb: 3\n",
            "2:2: expected ',' or ']' in a list; the list begins at config.yaml:1:4\n  2 | b: 3\n    |  ^"
        ),
        (
            "a: {b: 1\nc: 2\n",
            "2:2: expected ',' or '}' in a mapping; the mapping begins at config.yaml:1:4\n  2 | c: 2\n    |  ^"
        ),
        ("a: {b: [c}\n", "1:10: expected ',' or ']' in a list\n  1 | a: {b: [c}\n    |          ^"),
        ("a: [b\n", "1:4: the list that begins here is not closed\n  1 | a: [b\n    |    ^"),
        ("a: {b: 1\n", "1:4: the mapping that begins here is not closed\n  1 | a: {b: 1\n    |    ^"),
        ("a: [b", "1:4: the list that begins here is not closed\n  1 | a: [b\n    |    ^"),
        ("a: {b: 1", "1:4: the mapping that begins here is not closed\n  1 | a: {b: 1\n    |    ^"),
        ("a: [\n", "2:1: expected a value\n  2 |\n    | ^"),
        ("a: [", "1:5: expected a value\n  1 | a: [\n    |     ^"),
        ("a: [,]\n", "1:5: expected a value\n  1 | a: [,]\n    |     ^"),
        ("a: \"x\nb: 2\n", "1:4: the quoted text that begins here is not closed\n  1 | a: \"x\n    |    ^"),
        (
            "a: 'x\n---\n",
            "1:4: the quoted text that begins here is not closed before the document ends\n  1 | a: 'x\n    |    ^"
        ),
        (
            "a: 'it's'\n",
            "1:8: expected the end of the line: a single quote within single quotes is written twice\n  1 | a: 'it's'\n    |        ^"
        ),
        ("[a, b]]\n", "1:7: expected the end of the line\n  1 | [a, b]]\n    |       ^"),
        ("a: |x\n  b\n", "1:5: expected the end of the line\n  1 | a: |x\n    |     ^"),
        (
            "a: b: c\n",
            "1:5: a ':' is not expected here; check the indentation, or quote a text that holds one\n"
                + "  1 | a: b: c\n    |     ^"
        ),
        (
            "a: - b\n",
            "1:4: a '-' is not expected here; a list begins on a line of its own\n  1 | a: - b\n    |    ^"
        ),
        ("a: ?\n", "1:4: a key is not expected here\n  1 | a: ?\n    |    ^"),
        (
            "a:\n  - 1\n b: 2\n",
            "3:2: expected a key; check the indentation; the mapping begins at config.yaml:1:1\n  3 |  b: 2\n    |  ^"
        ),
        (
            "- a\nb: 1\n",
            "2:1: expected a '-' for the next item of the list; check the indentation; "
                + "the list begins at config.yaml:1:1\n  2 | b: 1\n    | ^"
        ),
        ("a: 1\nbb\nc: 2\n", "2:1: expected a ':' after this key\n  2 | bb\n    | ^"),
        ("a: 1\n...\nb\n", "3:1: expected the end of the file; check the indentation\n  3 | b\n    | ^"),
        (
            "a: @x\n",
            "1:4: a text cannot begin with this character; put it in quotes\n  1 | a: @x\n    |    ^"
        ),
        (
            "a: \"\\q\"\n",
            "1:5: unknown escape in a text in double quotes; a backslash itself is written '\\\\'\n"
                + "  1 | a: \"\\q\"\n    |     ^"
        ),
        ("a: \"\\xZZ\"\n", "1:7: expected hexadecimal digits in an escape\n  1 | a: \"\\xZZ\"\n    |       ^"),
        (
            "a: \"\\uD800\"\n",
            "1:7: this escape is not a character: write the character itself, or '\\UNNNNNNNN' for one beyond \\uFFFF\n"
                + "  1 | a: \"\\uD800\"\n    |       ^"
        ),
        (
            "a: & b\n",
            "1:5: expected a name of letters, digits, '-' and '_' for an anchor or alias: text that begins with '*' or '&' needs quotes\n  1 | a: & b\n    |     ^"
        ),
        ("a: !x!y b\n", "1:4: unknown tag\n  1 | a: !x!y b\n    |    ^"),
        ("%YAML 3.0\n---\na: 1\n", "1:1: found incompatible YAML document\n  1 | %YAML 3.0\n    | ^"),
    ]

    @Test(arguments: rows)
    func aSyntaxFaultSaysWhatIsExpectedWhere(yaml: String, expected: String) {
        #expect(printedFaults(yaml) == "config.yaml:" + expected)
    }
}
