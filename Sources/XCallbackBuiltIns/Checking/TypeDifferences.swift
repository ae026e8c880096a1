package import XCallbackConfiguration
import XCallbackRouter
import XCallbackWire

extension RouterConfiguration {
    /// Returns where the parameters of routes have other types than in the application that receives their requests.
    ///
    /// A type of the configuration may be narrower: an application that reads a text gets any type.
    ///
    /// - Parameters:
    ///   - received: The routes of the application, a list of `ReceivedRoute` of the interface in JSON.
    ///   - name: The name to which they are delivered.
    /// - Returns: A warning for each difference.
    package func differences(from received: [UInt8], deliveredTo name: String) -> [Fault] {
        let received = try? JSONValue(parsing: received.span, maximumSize: received.count)
        var numbers: [String: Int] = [:]
        for (number, route) in pipeline.routes.enumerated() where route.stages.handler.facts.clientName == name {
            numbers[route.name] = number
        }
        return (received?.elements ?? []).flatMap { own -> [Fault] in
            guard let number = own["route"]?.text.flatMap({ numbers[$0] }) else { return [] }
            let route = pipeline.routes[number]
            return differences(of: route, routeJSON(number)["input"]?.elements ?? [], own).map { text in
                Fault(
                    place: Place(file: route.file, line: route.line, column: 1, length: 0),
                    message: "'\(route.name)': \(text)", severity: .warning)
            }
        }
    }

    private func differences(of route: Route, _ declared: [JSONValue], _ own: JSONValue) -> [String] {
        let received = own["input"]?.elements ?? []
        let declared = declared.filter { parameter in
            route.stages.input.declarations.contains { $0.name == parameter["name"]?.text }
        }
        // A route without declarations passes everything on.
        let isDeclared = !route.queryDeclarations.isEmpty
        let missing = received.compactMap { parameter -> String? in
            guard let name = parameter["name"]?.text else { return nil }
            if let other = declared.first(where: { $0["name"]?.text == name }) {
                if !Self.accepts(parameter, other) {
                    return "'\(name)' is \(Self.text(other)) here, and \(Self.text(parameter)) in the application"
                }
                let isOptional = other["required"]?.truth == false && other["default"] == nil
                return isOptional && parameter["required"]?.truth != false
                    ? "'\(name)' may be missing here, and the application requires it" : nil
            }
            let isCapture = route.pattern.captures.contains { $0.name == name }
            let isNeeded = isDeclared && !isCapture && parameter["required"]?.truth != false
            return isNeeded ? "'\(name)' is not declared, and the application requires it" : nil
        }
        guard own["complete"]?.truth == true else { return missing }
        let names = received.compactMap { $0["name"]?.text }
        return missing
            + route.queryDeclarations.map(\.name).filter { !names.contains($0) }.map {
                "'\($0)' is declared, and the application does not read it"
            }
    }

    /// Whether an application can read all values of a declared parameter.
    private static func accepts(_ own: JSONValue, _ declared: JSONValue) -> Bool {
        guard (own["type"]?.text == "list") == (declared["type"]?.text == "list") else { return false }
        let (reads, gets) = (element(own), element(declared))
        if reads == "enum", gets == "enum" {
            return Set(declared["values"]?.elements ?? []).isSubset(of: own["values"]?.elements ?? [])
        }
        return reads == gets || reads == "string" || reads == "number" && gets == "int"
    }

    private static func element(_ parameter: JSONValue) -> String? {
        (parameter["of"] ?? .null).text ?? parameter["type"]?.text
    }

    private static func text(_ parameter: JSONValue) -> String {
        let values = parameter["values"]?.elements?.compactMap(\.text).joined(separator: ", ")
        let element = values.map { "one of \($0)" } ?? Self.element(parameter) ?? "text"
        return parameter["type"]?.text == "list" ? "a list of \(element)" : element
    }
}
