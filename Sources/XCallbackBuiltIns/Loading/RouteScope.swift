import XCallbackConfiguration
import XCallbackRouting

/// What stands for a route outside of it: what the configuration says of all routes, and the groups around it.
struct RouteScope {
    /// The scheme of routes that name none.
    private(set) var scheme: String?
    /// What the patterns of the routes go on from.
    private(set) var prefix: RoutePattern?
    /// Whether schemes and prefixes have no faults, so that it can be told what a route answers.
    private(set) var isSound = true
    /// The stages before those of the route, from the outermost to the innermost.
    private var middleware: [Node]
    private var policies: [Node]
    /// Whether all the groups are enabled.
    private(set) var isEnabled = true

    /// Creates the scope of the routes of a file.
    init(scheme: String?, middleware: [Node], policies: [Node]) {
        self.scheme = scheme
        self.middleware = middleware
        self.policies = policies
    }

    /// Goes on into a group: its scheme is that of its routes, everything else is added.
    mutating func enter(_ group: MappingReader, _ surroundings: StageSource.Surroundings) {
        isEnabled = (group.bool("enabled") ?? true) && isEnabled
        if let node = group.node("scheme"), let name = node.string(surroundings.faults) {
            scheme = surroundings.ownScheme(name[...], at: node.place)
            isSound = isSound && scheme != nil
        }
        if let node = group.node("prefix") {
            let text = node.string(surroundings.faults)
            let whole = text.flatMap { pattern($0, from: node, surroundings.faults) }
            isSound = isSound && whole != nil
            prefix = whole ?? RoutePattern(capturesOf: (prefix?.text ?? "") + (text ?? ""))
        }
        middleware = middleware(before: group.node("middleware"))
        policies = policies(before: group.node("policies"))
    }

    /// The middleware of these, then that of a route or a group.
    func middleware(before own: Node?) -> [Node] {
        own.map { middleware + $0.elements } ?? middleware
    }

    /// The policies of these, then those of a route or a group.
    func policies(before own: Node?) -> [Node] {
        own.map { policies + $0.elements } ?? policies
    }

    /// Parses the pattern of a route or of a group within these.
    ///
    /// - Parameters:
    ///   - text: The end of what the node holds.
    ///   - node: Where it stands, for the place of a fault.
    ///   - faults: Where faults are reported.
    /// - Returns: The pattern behind the prefixes, or nil after a fault.
    func pattern(_ text: String, from node: Node, _ faults: FaultList) -> RoutePattern? {
        faults.reportHidden(in: text, "pattern", at: node.place)
        do {
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
                error.configurationDescription, at: node.place(ofScalarBeforeEnd: min(end, text.unicodeScalars.count)))
            return nil
        }
    }
}

extension Node {
    /// The place of one of the scalars of a plain text on one line, counted from its end; else where the value begins.
    fileprivate func place(ofScalarBeforeEnd count: Int) -> Place {
        guard case .scalar(let scalar) = content, !scalar.isQuoted, scalar.text.count == place.length else {
            return place
        }
        // Columns count characters, of which each may be several scalars.
        let charactersBefore = String(scalar.text.unicodeScalars.dropLast(count)).count
        return Place(file: place.file, line: place.line, column: place.column + charactersBefore)
    }
}
