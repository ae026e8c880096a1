import XCallbackBytes
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting

extension RouteAddress {
    /// Warns about syntax of other routers' patterns that is literal text here: `{id}`, `<id>`, `a|b`, `^a$`.
    ///
    /// - Parameters:
    ///   - input: The declared parameters of the route.
    ///   - place: The place of the pattern.
    ///   - faults: Receives the warnings.
    func warnOfForeignSyntax(_ input: Input, at place: Place, _ faults: FaultList) {
        let text = pattern.text
        // Splitting a text into characters is slow, and hardly any text has these bytes.
        guard text.hasByte(where: { Self.isForeign($0) }) else { return }
        if text.hasPrefix("/^"), let mend = ForeignPattern(text) {
            faults.warn(
                "a pattern is not a regular expression: write '\(mend.pattern)'\(mend.input)\(mend.loss)", at: place)
            return
        }
        for segment in text.split(separator: "/") where !segment.contains("\\") {
            if segment.hasPrefix("@"), input.declarations.contains(where: { $0.name == segment.dropFirst() }) {
                faults.warn(
                    "'\(segment)' in a pattern is literal text: write a capture as ':\(segment.dropFirst())'",
                    at: place)
            } else if Self.isForeign(segment), let mend = ForeignPattern("/\(segment)") {
                faults.warn(
                    "'\(segment)' in a pattern is \(Self.meaning(of: segment)): write a capture as "
                        + "'\(mend.pattern.dropFirst())'\(mend.input)\(mend.loss)", at: place)
            }
        }
        warnOfEnd(of: text, at: place, faults)
    }

    /// Whether a byte can be part of other routers' syntax.
    private static func isForeign(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "}"), UInt8(ascii: ">"), UInt8(ascii: "$"), UInt8(ascii: "|"), UInt8(ascii: "#"),
            UInt8(ascii: "@"), UInt8(ascii: "^"), UInt8(ascii: " "):
            true
        default: false
        }
    }

    private static func isForeign(_ segment: Substring) -> Bool {
        segment.hasSuffix("}") || segment.hasSuffix(">") || segment.hasPrefix("$") || segment.contains("|")
    }

    private static func meaning(of segment: Substring) -> String {
        switch segment.dropFirst().dropLast() {
        case _ where segment.contains("|") || segment.hasPrefix("$") && !segment.hasSuffix("}"): "literal text"
        case let name where name.contains { ":$.{<".contains($0) } || segment.hasPrefix("%") || segment.hasPrefix("#"):
            "no capture with that name"
        default: segment.hasPrefix("{") ? "optional text" : "literal text"
        }
    }

    /// Warns about a fragment, and about a blank at the end.
    private func warnOfEnd(of text: String, at place: Place, _ faults: FaultList) {
        if text.hasSuffix(" "), !text.hasSuffix("\\ "), let mend = ForeignPattern(text) {
            faults.warn("the pattern ends with a space: write '\(mend.pattern)'", at: place)
        } else if text.utf8.contains(UInt8(ascii: "#")), let mend = ForeignPattern(text),
            !mend.pattern.utf8.contains(UInt8(ascii: "#")), text.hasPrefix("\(mend.pattern)#")
        {
            faults.warn(
                "a route has no fragment: write '\(mend.pattern)', or '\\#' for a '#' of the text itself", at: place)
        }
    }
}
