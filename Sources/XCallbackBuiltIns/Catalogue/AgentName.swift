import XCallbackConfiguration
import XCallbackRouting

/// The name of a route for assistants: `agent: true`, or `agent: append_note`.
///
/// The name depends on the route alone: other routes cannot change the action that a remembered permission refers to.
struct AgentName {
    /// The name.
    let text: String
    /// The place of the `agent` key.
    let place: Place

    /// The maximum length of a name: clients add their own prefix.
    private static let limit = 48

    /// Decodes the key; nil if it is missing or `false`, or after a fault.
    init?(_ reader: MappingReader, _ address: RouteAddress) {
        guard let node = reader.node("agent") else { return nil }
        place = node.place
        if let truth = node.truth {
            // 'no' is not a name, and must not offer a route that its author wants to hide.
            guard node.bool(reader.faults) != nil, truth, let scheme = address.scheme else { return nil }
            text = address.pattern.name(after: scheme)
        } else {
            guard let name = node.string(reader.faults) else { return nil }
            text = name
        }
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
            default: false
            }
        }
        guard isName, (1...Self.limit).contains(text.utf8.count) else {
            reader.faults.report(
                "\(text.quoted) is not a valid name for assistants: expected 1 to \(Self.limit) letters, digits, '_' or '-', as in "
                    + "'agent: append_note'", at: place)
            return nil
        }
    }
}

extension RoutePattern {
    /// The scheme, then the texts and the names of captures, joined with `_`; every character except ASCII letters,
    /// digits, and `-` becomes `_`.
    fileprivate func name(after scheme: String) -> String {
        let text = ([scheme] + wordsOfFullest).joined(separator: "_")
        return String(
            text.unicodeScalars.map { scalar -> Character in
                let isKept =
                    scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "-")
                return isKept ? Character(scalar) : "_"
            })
    }
}
