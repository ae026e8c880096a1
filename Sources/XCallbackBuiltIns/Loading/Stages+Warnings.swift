package import XCallbackConfiguration
package import XCallbackPipeline

extension Route.Stages {
    /// The policies that let pass whatever the desktop hands on in the name of its user.
    private static let blindPolicies = ["user", "group"]

    /// Warns of programs that a web page can have run, as it can open the URLs of a public route.
    ///
    /// - Parameters:
    ///   - place: Where the handler of the route stands.
    ///   - faults: Where warnings are noted.
    package func warnOfWebPages(at place: Place, _ faults: FaultList) {
        if middlewareNames.contains("exec") {
            faults.warn(
                "a web page can have a program run as middleware: the route is public, and no policy comes before its "
                    + "middleware", at: place)
        }
        let policies = (policyNames + asyncPolicyNames).filter { !Self.blindPolicies.contains($0) }
        guard handlerName == "exec", policies.isEmpty else { return }
        faults.warn(
            "a web page can have this program run: the route is public, and no policy before it looks at more than the "
                + "user", at: place)
    }
}
