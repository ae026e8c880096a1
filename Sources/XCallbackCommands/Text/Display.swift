import Glibc
import XCallbackConfiguration
import XCallbackLinux
import XCallbackURL
import XCallbackWire

extension String {
    /// The text with invisible characters as `<U+001B>`, so that a message cannot control a terminal, end its line, reverse the
    /// text around it, or hide characters.
    ///
    /// Joiners stay, because scripts and emoji need them.
    package var withVisibleControls: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            if scalar.isHidden { result += scalar.notation } else { result.unicodeScalars.append(scalar) }
        }
    }

    /// The text with invisible characters as `<U+001B>`, except line endings.
    var withVisibleLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).withVisibleControls }
            .joined(separator: "\n")
    }

    /// The text with invisible characters as `<U+001B>`, except line endings, after which the text is indented.
    package var withIndentedLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).withVisibleControls }
            .joined(separator: "\n    ")
    }

    /// Returns the text, padded with blanks to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 0))
    }
}

extension JSONValue {
    /// The JSON text on one line, with invisible characters as `\u001b`: the same value, which cannot control a terminal.
    var visibleText: String {
        // Outside of strings, JSON is ASCII.
        description.unicodeScalars.reduce(into: "") { result, scalar in
            guard scalar.isHidden else { return result.unicodeScalars.append(scalar) }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}

extension Duration {
    /// The duration in seconds, with fraction.
    private var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// The duration with two or three digits and a unit, from microseconds to seconds.
    var shortText: String {
        let (value, unit) =
            switch seconds {
            case ..<0.000_999_5: (seconds * 1e6, "µs")
            case ..<0.999_5: (seconds * 1e3, "ms")
            default: (seconds, "s")
            }
        if value >= 9.95 { return "\(Int(value.rounded())) \(unit)" }
        if value == 0 { return "0 \(unit)" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }

    /// The duration in its two largest units, from seconds to days.
    var roughText: String {
        let seconds = Int(max(seconds, 0))
        let units = [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)]
        guard let first = units.firstIndex(where: { seconds >= $0.1 }) else { return "0 s" }
        let major = "\(seconds / units[first].1) \(units[first].0)"
        guard first + 1 < units.count else { return major }
        return "\(major) \(seconds % units[first].1 / units[first + 1].1) \(units[first + 1].0)"
    }
}

extension Duration {
    /// The local time of day, for a time since the start of 1970.
    var clockText: String {
        let (seconds, attoseconds) = components
        var moment = time_t(seconds)
        var parts = tm()
        localtime_r(&moment, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = "\(number)"
            return String(repeating: "0", count: max(count - text.count, 0)) + text
        }
        let milliseconds = Int32(attoseconds / 1_000_000_000_000_000)
        return "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2))"
            + ".\(digits(milliseconds, 3))"
    }
}

extension ToolRun.Ending {
    /// The end of a sentence about the program.
    var text: String {
        switch self {
        case .exited(let status): "ended with status \(status)"
        case .running: "did not end in time"
        case .notStarted(let cause): "cannot be run: \(cause)"
        }
    }
}

extension QueryItems.Item {
    /// The item as `name=value`, or its name if it has no value.
    var text: String { value.map { "\(name)=\($0)" } ?? name }
}

extension QueryItems {
    /// Parses items: `name=value`, or `name` for an item without a value.
    init(words: [String]) {
        self.init()
        for word in words {
            // The search goes by bytes: an accent after the sign would hide it.
            let end = word.utf8.firstIndex(of: UInt8(ascii: "="))
            append(
                String(word[..<(end ?? word.endIndex)]), end.map { String(word[word.utf8.index(after: $0)...]) })
        }
    }
}
