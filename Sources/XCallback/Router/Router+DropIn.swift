import XCallbackJSON

extension Router {
    /// The text of a drop-in for the daemon's configuration, with routes that deliver to this router.
    ///
    /// It has each route of the router with its pattern, `public`, and its input as far as that can be told from the type
    /// that its function takes: names, types, what may be missing. Check it in, install it as `config.d/NAME.yaml`, and let
    /// a test compare it with what the program says, so that both stay the same:
    ///
    ///     let text = router.dropIn(deliveringTo: "notebook")
    ///
    /// Policies of the router stay with it, as the daemon does not know them.
    ///
    /// - Parameters:
    ///   - name: The name that the router is served as.
    ///   - wait: How long requests wait for the program if it does not run, as the configuration says it: `5s`.
    /// - Returns: YAML.
    public func dropIn(deliveringTo name: String, wait: String? = nil) -> String {
        var lines = [
            "# The routes of \(scheme), which are delivered to \(name). The program has written this file.",
            "schemes: [\(schemes.joined(separator: ", "))]", "routes:",
        ]
        for route in declaredRoutes {
            lines.append("  - route: \(route.name.yaml)")
            lines.append("    deliver: \(name.yaml)")
            if let wait { lines.append("    wait: \(wait.yaml)") }
            if route.isPublic { lines.append("    public: true") }
            lines += Self.lines(of: route)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(of route: DeclaredRoute) -> [String] {
        guard let input = route.input else { return [] }
        var lines: [String] = []
        if !input.isWhole || !input.undeclared.isEmpty {
            let names = input.undeclared.isEmpty ? "" : ": \(input.undeclared.joined(separator: ", "))"
            lines.append("    # It takes more than can be declared here\(names).")
        }
        if !input.parameters.isEmpty { lines.append("    input:") }
        for parameter in input.parameters {
            var settings = parameter.settings
            if !parameter.isRequired, !route.captures.contains(parameter.name) {
                settings.append(("required", "false"))
            }
            let type = settings.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
            lines.append("      \(parameter.name.yaml): \(settings.count == 1 ? settings[0].value : "{ \(type) }")")
        }
        return lines
    }
}

/// A route as a configuration declares it.
struct DeclaredRoute: Sendable {
    /// Its scheme and its pattern.
    let name: String
    let isPublic: Bool
    /// What its function reads; nil if that is the request as it is.
    let input: InputSketch?
    /// The names of what its pattern captures.
    let captures: [String]
}

extension String {
    /// The text as YAML takes it: as it is where that is plain, else in quotes.
    var yaml: String {
        let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        let isPlain =
            utf8.first.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 } == true
            && utf8.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || "0123456789_-.".utf8.contains($0)
            }
            && !words.contains(lowercased())
        return isPlain ? self : String(decoding: JSONValue.string(self).bytes, as: UTF8.self)
    }
}
