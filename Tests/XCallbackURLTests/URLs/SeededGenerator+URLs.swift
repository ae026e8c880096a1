import XCallbackTesting
import XCallbackURL

extension SeededGenerator {
    /// A scalar that a URL can carry: any but NUL; those with a meaning in a URL come often.
    mutating func scalar() -> Unicode.Scalar {
        let special: [Unicode.Scalar] = [
            "/", "?", "#", "&", "=", "%", "+", " ", ".", "-", ":", ",", "\r", "\n", "\u{7F}", "x", "2", "é",
        ]
        if Bool.random(using: &self) { return special[Int.random(in: 0..<special.count, using: &self)] }
        let largest: UInt32 = Bool.random(using: &self) ? 0x7F : 0x10_FFFF
        return Unicode.Scalar(UInt32.random(in: 1...largest, using: &self)) ?? "\u{FFFD}"
    }

    /// A text of at most so many scalars.
    mutating func text(_ counts: ClosedRange<Int>) -> String {
        var text = ""
        for _ in 0..<Int.random(in: counts, using: &self) { text.unicodeScalars.append(scalar()) }
        return text
    }

    /// Segments that an action can have.
    mutating func segments() -> [String] {
        (0..<Int.random(in: 0...4, using: &self)).map { _ in
            let text = text(1...6)
            return text == "." || text == ".." ? "dots" : text
        }
    }

    /// Items for a handler: with a value, an empty one, or none.
    mutating func items() -> QueryItems {
        var items = QueryItems()
        for _ in 0..<Int.random(in: 0...5, using: &self) {
            let name = text(1...4)
            if name.lowercased().hasPrefix("x-") { continue }
            items.append(name, Int.random(in: 0..<4, using: &self) == 0 ? nil : text(0...8))
        }
        return items
    }
}
