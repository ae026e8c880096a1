/// The line of a fault with a caret below it, in the width of a terminal.
struct Excerpt {
    private static let width = 96
    private static let tab = (text: "    ", width: 4)

    /// The two lines of text, without a final line feed.
    let text: String

    /// Creates an excerpt of one line of a file.
    ///
    /// - Parameters:
    ///   - line: The line without its line break.
    ///   - place: The place that the caret marks.
    init(of line: Substring, at place: Place) {
        let target = line.index(line.startIndex, offsetBy: place.column - 1, limitedBy: line.endIndex) ?? line.endIndex
        var before = Cells(line[..<target].reversed(), limit: Self.width)
        let after = Cells(line[target...], limit: max(Self.width - before.width, Self.width / 2))
        before = Cells(line[..<target].reversed(), limit: Self.width - after.width)
        before.pieces.reverse()

        let underlined = line[target...].prefix(min(place.length, after.pieces.count))
        let caret = "^" + String(repeating: "~", count: max(Cells(underlined, limit: Self.width).width - 1, 0))
        let shown = (before.isCut ? "…" : "") + before.text + after.text + (after.isCut ? "…" : "")
        let indent = String(repeating: " ", count: before.width + (before.isCut ? 1 : 0))
        let number = String(place.line)
        let margin = String(repeating: " ", count: number.count)
        text = Self.trimmed("  \(number) | \(shown)") + "\n  \(margin) | \(indent)\(caret)"
    }

    /// Characters in their displayed form, as many as fit.
    private struct Cells {
        var pieces: [String] = []
        var width = 0
        var isCut = false
        var text: String { pieces.joined() }

        init(_ characters: some Sequence<Character>, limit: Int) {
            for character in characters {
                let cell = character == "\t" ? Excerpt.tab : (character.visible, character.displayWidth)
                guard width + cell.1 <= limit else {
                    isCut = true
                    return
                }
                pieces.append(cell.0)
                width += cell.1
            }
        }
    }

    private static func trimmed(_ line: String) -> String {
        guard let last = line.lastIndex(where: { $0 != " " }) else { return "" }
        return String(line[...last])
    }
}
