import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

extension ParameterKinds {
    /// Knows what a route declares.
    init(_ route: StageSource.RouteFacts) {
        self.init(
            types: Dictionary(route.input.declarations.map { ($0.name, $0.rule.type) }) { first, _ in first },
            lists: Set(route.parameterNames.filter { route.isList($0) }))
    }
}
