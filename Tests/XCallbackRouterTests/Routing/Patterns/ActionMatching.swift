import XCallbackRouter
import XCallbackTesting

/// An action as a table wants it, from its written form; `%` and two digits stand for a byte.
struct Action {
    var bytes: [UInt8] = []
    var segments: [Range<Int>] = []

    init(_ text: String) {
        for segment in text.utf8.split(separator: UInt8(ascii: "/")) {
            let start = bytes.count
            var rest = Array(segment)[...]
            while let byte = rest.popFirst() {
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                if byte == UInt8(ascii: "%"), let value = UInt8(digits, radix: 16) {
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            }
            segments.append(start..<bytes.count)
        }
    }
}

/// The route that answered, and the texts it captured by name.
struct Answer: Equatable {
    let route: Int
    let captures: [String: [String]]
}

extension RoutingTable {
    /// Creates a table of patterns, with types by the names of captures in all of them.
    convenience init(_ patterns: [String], types: [String: CaptureType] = [:]) throws {
        try self.init(patterns.map { Entry(pattern: try RoutePattern($0), types: types) })
    }

    /// Matches an action and names the captures; `patterns` is what the table was made of.
    func answer(_ text: String, patterns: [String]) throws -> Answer? {
        let action = Action(text)
        var captures = [Capture(index: 99, range: 0..<0)]
        guard let route = match(action.bytes.span, segments: action.segments.span, into: &captures) else {
            return nil
        }
        let names = try RoutePattern(patterns[route]).captures
        var texts: [String: [String]] = [:]
        for capture in captures {
            texts[names[capture.index].name, default: []].append(
                String(decoding: action.bytes[capture.range], as: UTF8.self)
            )
        }
        return Answer(route: route, captures: texts)
    }
}
