import XCallbackConfiguration
import XCallbackRouting
import XCallbackWire

extension RouteAddress {
    /// Warns about a segment that is text here, but not for other routers: `{id}`, `<id>`, `$id`, `^a$`.
    func warnOfForeignSyntax(at place: Place, _ faults: FaultList) {
        // Splitting a text into segments is slow, and hardly any text has these bytes.
        guard pattern.text.hasByte(where: { "}>$^".utf8.contains($0) }) else { return }
        for segment in pattern.text.split(separator: "/") where Self.isForeign(segment) {
            faults.warn("'\(segment)' in a pattern is text; \(RoutePatternError.syntaxHint)", at: place)
            return
        }
    }

    private static func isForeign(_ segment: Substring) -> Bool {
        guard let first = segment.first, let last = segment.last, "{<$#%^".contains(first), !segment.contains("\\")
        else {
            return false
        }
        let name = segment.drop { "{<$#%^ ".contains($0) }
        let isNamed = name.first.map { $0.isLetter || $0 == "_" } ?? false
        return isNamed && ("}>".contains(last) || "$^".contains(first))
    }
}
