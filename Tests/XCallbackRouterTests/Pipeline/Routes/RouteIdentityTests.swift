import Testing
import XCallbackRouter
import XCallbackURL

struct RouteIdentityTests {
    static let types: [(ParameterType, String)] = [
        (.string, "notes:/:id"), (.integer, #"notes:/:id ["int"]"#),
        (.enumeration(["a", "b"]), #"notes:/:id ["enum [\"a\", \"b\"]"]"#),
        (.enumeration([#"a", "b"#]), #"notes:/:id ["enum [\"a\\\", \\\"b\"]"]"#),
        (.enumeration([#"a\", "b"#]), #"notes:/:id ["enum [\"a\\\\\\\", \\\"b\"]"]"#),
    ]

    @Test(.timeLimit(.minutes(10)), arguments: types)
    func routesWithOtherTypesAreOthers(type: ParameterType, identity: String) throws {
        let input = Input([Input.Declaration(name: "id", rule: ParameterRule(type: type))], isStrict: false)
        let route = try Route("notes:/:id", input: input, .immediate(Answering { _ in .success([:]) }))
        #expect(route.identity == identity)
    }
}
