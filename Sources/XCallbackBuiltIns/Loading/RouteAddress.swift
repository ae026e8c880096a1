import XCallbackConfiguration
import XCallbackRouting
import XCallbackURL
import XCallbackWire

/// The URLs that a route answers, as far as they could be decoded.
struct RouteAddress {
    /// The scheme, or nil after a fault.
    let scheme: String?
    /// The pattern with the prefixes of the groups; after a fault, only its captures are valid.
    let pattern: RoutePattern
    /// Whether the address has no fault.
    let isSound: Bool

    /// Decodes the value of `route`; the scheme is optional if a group sets it, or if there is only one.
    init(_ node: Node?, in scope: RouteScope, _ surroundings: StageSource.Surroundings) {
        guard let node, let text = node.address(surroundings.faults) else {
            scheme = nil
            pattern = scope.prefix ?? RoutePattern(capturesOf: "")
            isSound = false
            return
        }
        var patternText = text
        let mark = text.utf8.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
        if let colon = mark, text.utf8[colon] == UInt8(ascii: ":"), text.utf8.first != UInt8(ascii: "{") {
            patternText = String(text[text.utf8.index(after: colon)...])
            scheme = surroundings.ownScheme(text[..<colon], at: node.place)
        } else {
            // A word alone could be meant as anything.
            let isWord =
                mark == nil && !text.hasPrefix("*") && surroundings.syntax(of: surroundings.onlyScheme) != .callback
            scheme = isWord ? nil : scope.scheme ?? surroundings.onlyScheme
            if scheme == nil, scope.isSound, surroundings.knowsAllSchemes {
                surroundings.faults.report("expected a scheme and a pattern, such as notes:/ping", at: node.place)
            }
        }
        let syntax = surroundings.syntax(of: scheme)
        let whole =
            syntax == .callback && hasHost(patternText)
            ? surroundings.faults.reportHost(at: node.place)
            : scope.pattern(patternText, as: syntax, from: node, surroundings.faults)
        pattern = whole ?? RoutePattern(capturesOf: (scope.prefix?.text ?? "") + patternText)
        isSound = scheme != nil && whole != nil && scope.isSound
    }
}

extension Node {
    /// The text of an address; reports a mapping, because the other keys belong beside `route`.
    fileprivate func address(_ faults: FaultList) -> String? {
        guard isMapping, let members = members(faults), members.contains(where: { !$0.value.isNull }) else {
            return string(faults)
        }
        faults.report(
            "expected a scheme and a pattern, such as notes:/ping, found a mapping: other keys stand beside 'route'",
            at: place)
        return nil
    }
}

/// Whether the text after a scheme begins with a host, as in one of the spellings of a URL.
private func hasHost(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
        let (bytes, host) = (bytes.span, "/x-callback-url" as StaticString)
        if bytes.count >= 2, areEqual(bytes.extracting(first: 2), "//") { return true }
        let length = host.utf8CodeUnitCount
        guard bytes.count >= length, areEqual(bytes.extracting(first: length), host) else { return false }
        return bytes.count == length || bytes[length] == UInt8(ascii: "/")
    }
}

extension FaultList {
    fileprivate func reportHost(at place: Place) -> RoutePattern? {
        report("a route has no host: expected a scheme, a colon and a pattern, such as notes:/ping", at: place)
        return nil
    }
}

extension StageSource.Surroundings {
    /// The scheme of the router, if it has only one.
    fileprivate var onlyScheme: String? { schemeNames.count == 1 && knowsAllSchemes ? schemeNames[0] : nil }

    /// Returns the own scheme of a name, in lower case; reports an unknown name.
    func ownScheme(_ spelling: Substring, at place: Place) -> String? {
        // The fast path: nearly all names are in lower case.
        if let scheme = schemeNames.first(where: { areEqual($0.utf8.span, spelling.utf8.span) }) { return scheme }
        let name = spelling.lowercased()
        if schemeNames.contains(name) { return name }
        if knowsAllSchemes {
            let word = name.split(separator: " ").last.map(String.init) ?? name
            let suggestion =
                word != name && schemeNames.contains(word)
                ? ": a route has no method, write '\(word):'" : name.suggestion(among: schemeNames)
            faults.report("the scheme \(name.quoted) is not listed under 'schemes'\(suggestion)", at: place)
        }
        return nil
    }
}
