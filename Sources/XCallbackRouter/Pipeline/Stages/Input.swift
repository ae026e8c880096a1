package import XCallbackURL
import XCallbackWire

/// The parameters that a route declares.
package struct Input: Sendable {
    /// A declared parameter.
    package struct Declaration: Sendable {
        /// The name.
        package let name: String
        /// The rule for its values.
        package let rule: ParameterRule

        /// Creates a declaration.
        package init(name: String, rule: ParameterRule) {
            self.name = name
            self.rule = rule
        }

        /// Checks a value against the rule.
        func check(_ value: Span<UInt8>) throws(CallbackError) {
            guard let fault = rule.fault(in: value) else { return }
            let subject = rule.isList ? "Each value of parameter" : "Parameter"
            throw CallbackError(.badParameter, "\(subject) '\(name)' must be \(fault).")
        }
    }

    /// The declared parameters, in order.
    package let declarations: [Declaration]
    /// Whether an undeclared parameter is an error; the pattern declares its captures.
    package let isStrict: Bool
    /// The maximum number of elements of all lists of a request.
    private let maximumElements: Int
    private let names: [[UInt8]]

    /// Creates the input of a route.
    package init(
        _ declarations: [Declaration], isStrict: Bool = false, maximumElements: Int = ActionURL.defaultMaximumItems
    ) {
        self.declarations = declarations
        self.isStrict = isStrict
        self.maximumElements = maximumElements
        names = declarations.map { Array($0.name.utf8) }
    }

    /// Whether every request passes unchanged.
    package var isEmpty: Bool { declarations.isEmpty && !isStrict }

    /// The input without demands and defaults: any of its parameters can be absent.
    package var optional: Input {
        let declarations = declarations.map { declaration in
            var rule = declaration.rule
            (rule.isRequired, rule.defaultTexts) = (false, nil)
            return Declaration(name: declaration.name, rule: rule)
        }
        return Input(declarations, isStrict: isStrict, maximumElements: maximumElements)
    }

    /// Checks parameters and brings them into their decoded form.
    ///
    /// In the decoded form, a list has one item for each element, or one item without a value if it is empty. A Boolean
    /// is `true` or `false`, an absent parameter has its default, and any other declared item without a value is removed.
    ///
    /// - Parameters:
    ///   - parameters: The captures, then the items of the query.
    ///   - plusIsSpace: Whether an HTML form wrote the query.
    /// - Throws: ``CallbackError`` 422 naming the parameter, or 413 for too many elements.
    package func decode(_ parameters: inout QueryItems, plusIsSpace: Bool) throws(CallbackError) {
        var reader = InputReader(parameters, plusIsSpace: plusIsSpace, maximumElements: maximumElements)
        for index in declarations.indices {
            try reader.read(declarations[index], name: names[index])
        }
        if isStrict { try reader.refuseUnread() }
        if let decoded = reader.decoded() { parameters = decoded }
    }
}

extension [Input.Declaration] {
    /// The declaration of a name; names are compared by bytes, as in URLs.
    package func first(named name: String) -> Input.Declaration? {
        first { areEqual($0.name, name) }
    }
}
