import XCallbackURL
import XCallbackWire

extension Input {
    /// Checks that parameters are a possible result of ``decode(_:plusIsSpace:)``.
    ///
    /// - Parameters:
    ///   - parameters: The parameters in their decoded form.
    ///   - captures: The captures, which are allowed even if the input is strict.
    /// - Throws: ``CallbackError`` 422 naming the parameter.
    func check(_ parameters: QueryItems, captures: [CaptureName]) throws(CallbackError) {
        for declaration in declarations {
            let items = parameters.filter { areEqual($0.name, declaration.name) }
            // The name alone is the empty list.
            if declaration.rule.isList, items.count == 1, items[0].value == nil { continue }
            for item in items {
                guard let value = item.value else {
                    throw CallbackError(.badParameter, "Parameter '\(declaration.name)' has no value.")
                }
                try declaration.check(value.utf8.span)
            }
            if items.count > 1, !declaration.rule.isList {
                throw CallbackError(.badParameter, "Parameter '\(declaration.name)' is given more than once.")
            }
            if items.isEmpty, declaration.rule.isRequired || declaration.rule.defaultTexts != nil {
                throw CallbackError(.badParameter, "Parameter '\(declaration.name)' is missing.")
            }
        }
        guard isStrict else { return }
        for item in parameters
        where captures.first(named: item.name) == nil && declarations.first(named: item.name) == nil {
            throw .undeclared(item.name)
        }
    }
}
