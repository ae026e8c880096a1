import Testing
import XCallbackBuiltIns
import XCallbackConfiguration

/// What routes say of the clients that receive what they give to clients.
struct ReceiverRuleTests {
    private static func faults(_ routes: String...) -> [String] {
        Configured.faults(of: "schemes: [n]\nroutes:\n" + routes.map { "  - { \($0) }\n" }.joined())
    }

    @Test(arguments: ["publish", "deliver"])
    func manyRoutesMaySayTheSameOfAName(key: String) {
        let rule = "receivers: [{ user: 1000 }]"
        #expect(
            Self.faults("route: n:/a, \(key): name, \(rule)", "route: n:/b, \(key): name, \(rule)") == [])
    }

    @Test(arguments: ["publish", "deliver"])
    func theyMayNotDiffer(key: String) {
        let faults = Self.faults(
            "route: n:/a, \(key): name, receivers: [{ user: 1000 }]", "route: n:/b, \(key): other",
            "route: n:/c, \(key): name, receivers: [{ user: 1001 }]")
        #expect(faults.count == 1)
        #expect(faults.allSatisfy { $0.contains("'receivers' of 'name' must be the same in all its routes") })
    }

    @Test func onlyPoliciesOnTheClientItselfSayWhoReceives() {
        #expect(
            Self.faults("route: n:/a, publish: name, receivers: [{ user: 1000 }, { rate: 1/s }]") == [
                "3:35: policy 'rate' does not check receivers: expected one that checks only the client, such as 'user' or "
                    + "'group'"
            ])
    }
}
