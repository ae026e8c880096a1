import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL

/// Removes tracking parameters from requests: `strip`, or `strip: [utm_*, ref]`.
///
/// A `*` matches any text, and a `?` matches one byte. Declared parameters of the route stay.
struct StripMiddleware: Middleware, ConfiguredStage {
    /// The parameters that advertisers and social networks add to links.
    private static let usual = [
        "utm_*", "fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "twclid", "ttclid", "igshid",
        "yclid", "mc_cid", "mc_eid", "_hsenc", "_hsmi",
    ]

    private let globs: [[UInt8]]
    private let declared: [[UInt8]]

    init?(_ source: StageSource) {
        var texts = Self.usual
        if let node = source.node, !node.isNull {
            guard let names = node.strings(source.faults) else { return nil }
            if names.isEmpty { source.faults.report("expected at least one name", at: node.place) }
            if names.contains("") { source.faults.report("a parameter cannot be called ''", at: node.place) }
            texts = names
        }
        globs = texts.map { Array($0.utf8) }
        declared = source.route.input.declarations.map { Array($0.name.utf8) }
    }

    func receive(_ request: inout Request, _ host: any StageHost) -> MiddlewareResult {
        request.parameters.removeItems(where: isTracking)
        request.hideItems(where: isTracking)
        return .proceed
    }

    private func isTracking(_ name: Span<UInt8>) -> Bool {
        globs.contains { matches(name, $0) } && !declared.contains { listPlace(of: name, in: $0) != nil }
    }
}

/// Whether a text matches a glob; takes time up to the product of their lengths.
private func matches(_ text: Span<UInt8>, _ glob: [UInt8]) -> Bool {
    var position = 0
    var index = 0
    /// The position of the last star, and the end of the text that it matches.
    var star: (index: Int, end: Int)?
    while position < text.count {
        if index < glob.count, glob[index] == UInt8(ascii: "*") {
            star = (index, position)
            index += 1
        } else if index < glob.count, glob[index] == UInt8(ascii: "?") || glob[index] == text[position] {
            index += 1
            position += 1
        } else if let last = star {
            star = (last.index, last.end + 1)
            index = last.index + 1
            position = last.end + 1
        } else {
            return false
        }
    }
    return glob[index...].allSatisfy { $0 == UInt8(ascii: "*") }
}
