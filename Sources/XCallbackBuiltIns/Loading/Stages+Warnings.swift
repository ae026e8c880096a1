import XCallbackConfiguration
import XCallbackPipeline

extension Route.Stages {
    /// Warns of programs that a web page can have run, as it can open the URLs of a public route.
    ///
    /// - Parameters:
    ///   - place: Where the handler of the route stands.
    ///   - faults: Where warnings are noted.
    func warnOfWebPages(at place: Place, _ faults: FaultList) {
        if middleware.contains(where: { $0.traits.contains(.runsProgram) }) {
            faults.warn(
                "a web page can have a program run as middleware: the route is public, and no policy comes before its "
                    + "middleware", at: place)
        }
        // The desktop passes on what a web page opens in the name of its user.
        let isGuarded =
            asyncPolicies.contains { ($0.stage as? any DesktopGuard)?.guardsDesktop ?? true }
            || policies.contains { !$0.traits.contains(.judgesOnlyUser) }
        guard handler.traits.contains(.runsProgram), !isGuarded else { return }
        faults.warn(
            "a web page can have this program run: the route is public, and no policy before it looks at more than the "
                + "user", at: place)
    }
}

/// A policy that may let all requests pass that come through the desktop.
protocol DesktopGuard: Sendable {
    /// Whether it looks at such requests.
    var guardsDesktop: Bool { get }
}
