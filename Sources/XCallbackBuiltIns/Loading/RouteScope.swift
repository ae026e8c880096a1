import XCallbackConfiguration
import XCallbackRouting
import XCallbackURL

/// The settings outside of a route that apply to it: those for all routes, and those of the enclosing groups.
struct RouteScope {
    /// The default scheme of the routes.
    private(set) var scheme: String?
    /// The prefix of the routes' patterns.
    private(set) var prefix: RoutePattern?
    /// Whether schemes and prefixes have no faults, so that the URLs of the routes are known.
    private(set) var isSound = true
    /// The stages before those of the route, from the outermost to the innermost group.
    private var middleware: [Node]
    private var policies: [Node]
    /// Whether all enclosing groups are enabled.
    private(set) var isEnabled = true

    /// Creates the scope of the routes of a file.
    init(scheme: String?, middleware: [Node], policies: [Node]) {
        self.scheme = scheme
        self.middleware = middleware
        self.policies = policies
    }

    /// Enters a group: its scheme replaces the current one, and its other settings are added.
    mutating func enter(_ group: MappingReader, _ surroundings: StageSource.Surroundings) {
        isEnabled = (group.bool("enabled") ?? true) && isEnabled
        if let node = group.node("scheme"), let name = node.string(surroundings.faults) {
            scheme = surroundings.ownScheme(name[...], at: node.place)
            isSound = isSound && scheme != nil
        }
        if let node = group.node("prefix") {
            let text = node.string(surroundings.faults)
            let syntax = surroundings.syntax(of: scheme)
            let whole = text.flatMap { pattern($0, as: syntax, from: node, surroundings.faults) }
            isSound = isSound && whole != nil
            prefix = whole ?? RoutePattern(capturesOf: (prefix?.text ?? "") + (text ?? ""))
        }
        middleware = middleware(before: group.node("middleware"))
        policies = policies(before: group.node("policies"))
    }

    /// Returns the middleware of the scope, then that of a route or a group.
    func middleware(before own: Node?) -> [Node] {
        own.map { middleware + $0.elements } ?? middleware
    }

    /// Returns the policies of the scope, then those of a route or a group.
    func policies(before own: Node?) -> [Node] {
        own.map { policies + $0.elements } ?? policies
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
            if isEnabled, own.text == prefix.text || own.text.hasPrefix("\(prefix.text)/") {
                let rest = own.text.dropFirst(prefix.text.count)
                faults.warn(
                    "the prefix of the group stands before this, so that it is '\(prefix.text)\(own.text)': write "
                        + "'\(rest.isEmpty ? "/" : rest)'", at: node.place)
            }
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
