import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Answers with another URL: a route of the router itself, or another application.
///
/// The scheme and the host are literal. A placeholder fills one segment, or one value of the query, encoded; it never
/// adds a segment, an item or a fragment. A list repeats its segment or its item.
struct RedirectHandler: Handler {
    private let target: URLTemplate

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("a URL"), let template = Template(node, source),
            let target = URLTemplate(template, at: node.place, source.faults)
        else { return nil }
        self.target = target
        check(source, at: node.place)
    }

    func handle(_ request: Request, _ state: inout PipelineState) -> Response {
        do {
            return .redirect(try target.url(for: request))
        } catch {
            return .error(error)
        }
    }

    /// Reports a target that may never be redirected to, and items that would go nowhere.
    private func check(_ source: StageSource, at place: Place) {
        let scheme = String(utf8: target.origin.bytes.span.extracting(target.origin.layout.scheme)).lowercased()
        let isOwn = source.surroundings.ownSchemes.contains(scheme)
        if isOwn, target.items.contains(where: { isProtocolName($0.name.span) }) {
            source.faults.report("an item that begins with 'x-' goes nowhere within the router", at: place)
        }
        let rules = source.surroundings.callbackRules
        if !isOwn, !rules.allow(target.origin.bytes.span, target.origin.layout, for: .socket) {
            let advice =
                CallbackRules.isRefused(scheme: scheme) ? "" : ": list it under 'callbacks: { allow: … }'"
            source.faults.report("a redirect to this scheme or host is not allowed\(advice)", at: place)
        }
    }
}
