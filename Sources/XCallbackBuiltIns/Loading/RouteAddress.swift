import XCallbackConfiguration
import XCallbackRouter
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
    /// Whether its text says which scheme it has, even one that the router does not have.
    let namesScheme: Bool

    /// Decodes the value of `route`; the scheme is optional if a group sets it, or if there is only one.
    init(_ node: Node?, in scope: RouteScope, _ context: LoadContext) {
        guard let node, let text = node.address(context.faults) else {
            scheme = nil
            namesScheme = false
            pattern = scope.prefix ?? RoutePattern(capturesOf: "")
            isSound = false
            return
        }
        var patternText = text
        let mark = text.utf8.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
        if let colon = mark, text.utf8[colon] == UInt8(ascii: ":"), text.utf8.first != UInt8(ascii: "{") {
            patternText = String(text[text.utf8.index(after: colon)...])
            scheme = context.ownScheme(text[..<colon], at: node.place)
            namesScheme = true
        } else {
            // A word alone could be meant as anything.
            let isWord =
                mark == nil && !text.hasPrefix("*") && context.syntax(of: context.onlyScheme) != .callback
            scheme = isWord ? nil : scope.scheme ?? context.onlyScheme
            namesScheme = scheme != nil
            if scheme == nil, scope.isSound, context.knowsAllSchemes {
                context.faults.report("expected a scheme and a pattern, such as notes:/ping", at: node.place)
            }
        }
        let syntax = context.syntax(of: scheme)
        let hasHost = syntax == .callback && beginsWithHost(patternText)
        if hasHost {
            context.faults.report(
                "a route has no host: expected a scheme, a colon and a pattern, such as notes:/ping", at: node.place)
        }
        let whole = hasHost ? nil : scope.pattern(patternText, as: syntax, from: node, context.faults)
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
            "expected a scheme and a pattern, such as notes:/ping, found a mapping: other keys belong next to 'route'",
            at: place)
        return nil
    }
}

/// Whether the text after a scheme begins with a host, as in one of the spellings of a URL.
private func beginsWithHost(_ text: String) -> Bool {
    let host = "/x-callback-url"
    return text == host || text.hasPrefix("\(host)/") || text.hasPrefix("//")
}

extension LoadContext {
    /// The scheme of the router, if it has only one.
    fileprivate var onlyScheme: String? { schemeNames.count == 1 && knowsAllSchemes ? schemeNames[0] : nil }

    /// Returns the own scheme of a name, in lower case; reports an unknown name.
    func ownScheme(_ spelling: Substring, at place: Place) -> String? {
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

/// The settings outside of a route that apply to it: those for all routes, and those of the enclosing groups.
struct RouteScope {
    /// The default scheme of the routes.
    var scheme: String?
    /// The prefix of the routes' patterns.
    private(set) var prefix: RoutePattern?
    /// Whether schemes and prefixes have no faults, so that the URLs of the routes are known.
    private(set) var isSound = true
    /// The middleware before that of the route, from the outermost to the innermost group.
    var middleware: [StageDeclaration]
    /// The policies before those of the route.
    var policies: [StageDeclaration]
    /// Whether all enclosing groups are enabled.
    private(set) var isEnabled = true

    /// Enters a group: its scheme replaces the current one, and its prefix is added.
    mutating func enter(_ group: MappingReader, _ context: LoadContext) {
        isEnabled = (group.bool("enabled") ?? true) && isEnabled
        if let node = group.node("scheme") {
            scheme = node.string(context.faults).flatMap { context.ownScheme($0[...], at: node.place) }
            isSound = isSound && scheme != nil
        }
        if let node = group.node("prefix") {
            let text = node.string(context.faults)
            let syntax = context.syntax(of: scheme)
            let whole = text.flatMap { pattern($0, as: syntax, from: node, context.faults) }
            isSound = isSound && whole != nil
            prefix = whole ?? RoutePattern(capturesOf: (prefix?.text ?? "") + (text ?? ""))
        }
    }

    /// Parses the pattern of a route or of a group within the scope.
    ///
    /// - Parameters:
    ///   - text: The end of the node's text.
    ///   - syntax: The syntax of the scheme.
    ///   - node: The node, for the place of a fault.
    ///   - faults: Receives faults.
    /// - Returns: The pattern after the prefixes; nil after a fault.
    func pattern(_ text: String, as syntax: URLSyntax, from node: Node, _ faults: FaultList) -> RoutePattern? {
        faults.reportHidden(in: text, "pattern", at: node.place)
        do {
            if syntax != .callback { return try RoutePattern((prefix?.text ?? "") + text, as: syntax) }
            let own = try RoutePattern(text)
            guard let prefix else { return own }
            return try RoutePattern(prefix, own)
        } catch {
            let end = error.pattern.unicodeScalars.count - error.position
            faults.report(
                error.description, at: node.place(ofScalarBeforeEnd: min(end, text.unicodeScalars.count)))
            return nil
        }
    }
}

extension Node {
    /// Returns the place of a scalar of a plain text on one line, counted from the end; otherwise the start of the
    /// value.
    fileprivate func place(ofScalarBeforeEnd count: Int) -> Place {
        guard case .scalar(let scalar) = content, !scalar.isQuoted, scalar.text.count == place.length else {
            return place
        }
        // Columns count characters, each of which can have several scalars.
        let charactersBefore = String(scalar.text.unicodeScalars.dropLast(count)).count
        return Place(file: place.file, line: place.line, column: place.column + charactersBefore)
    }
}
