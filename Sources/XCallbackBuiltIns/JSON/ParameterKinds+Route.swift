import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

extension ParameterKinds {
    /// Creates the kinds from the declarations of a route.
    init(_ route: StageSource.RouteFacts) {
        self.init(
            types: route.input.declarations.map { ($0.name, $0.rule.type) },
            lists: route.parameterNames.filter { route.isList($0) })
    }
}
