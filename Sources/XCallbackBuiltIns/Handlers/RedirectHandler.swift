import XCallbackBytes
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// A handler that sends requests to another URL.
protocol RedirectingHandler: Handler {
    /// Where every request goes.
    ///
    /// - Parameter schemes: The schemes of the router.
    /// - Returns: The URL, as far as a route is found by it; nil if it depends on the request, or leads out of the router.
    func fixedTarget(of schemes: [String]) -> Callback?
}

/// Answers with another URL: a route of the router itself, or another application.
///
/// The scheme and the host are literal. A placeholder fills one segment, or one value of the query, encoded; it never
/// adds a segment, an item or a fragment. A list repeats its segment or its item.
struct RedirectHandler: RedirectingHandler, ConfiguredStage {
    private var target: URLTemplate

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("a URL"), let template = Template(node, source),
            let target = URLTemplate(template, at: node.place, source.faults)
        else { return nil }
        self.target = target
        if isOwn(source) { becomeOwn(source, at: node.place) } else { checkIsAllowed(source, at: node.place) }
    }

    func fixedTarget(of schemes: [String]) -> Callback? {
        guard let action = target.fixedAction, schemes.contains(targetScheme) else { return nil }
        return action
    }

    func handle(_ request: Request, _ state: inout PipelineState) -> Response {
        do {
            return .redirect(try target.url(for: request))
        } catch {
            return .error(error)
        }
    }

    private func isOwn(_ source: StageSource) -> Bool {
        source.surroundings.ownSchemes.contains(targetScheme)
    }

    private var targetScheme: String {
        String(utf8: target.origin.bytes.span.extracting(target.origin.layout.scheme)).lowercased()
    }

    /// Makes the target one within the router; reports items that would go nowhere.
    private mutating func becomeOwn(_ source: StageSource, at place: Place) {
        if target.items.contains(where: { isProtocolName($0.name.span) }) {
            source.faults.report("an item that begins with 'x-' goes nowhere within the router", at: place)
        }
        do {
            try target.becomeOwn()
        } catch {
            source.faults.report("expected a URL such as notes:/ping/{name}, found \(error)", at: place)
        }
    }

    /// Reports a target that may never be redirected to.
    private func checkIsAllowed(_ source: StageSource, at place: Place) {
        let rules = source.surroundings.callbackRules
        if rules.allow(target.origin.bytes.span, target.origin.layout, for: .socket) { return }
        let isHopeless = CallbackRules.isRefused(scheme: targetScheme)
        let advice = isHopeless ? "" : ": list it under 'callbacks: { allow: … }'"
        source.faults.report("a redirect to this scheme or host is not allowed\(advice)", at: place)
    }
}
