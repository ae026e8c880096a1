import XCallbackBytes
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

/// A handler that redirects requests to another URL.
protocol RedirectingHandler: Handler, FixedRedirect {
    /// Returns the target of every request.
    ///
    /// - Parameter schemes: The schemes of the router.
    /// - Returns: The URL, as far as routing needs it; nil if it depends on the request, or is outside the router.
    func fixedTarget(of schemes: [String]) -> Callback?
    /// Whether every request of a route goes to a URL of the same route, because the URL fills the whole pattern.
    func fillsPattern(of route: Route) -> Bool
    /// The names of the items in the query of the URL.
    var itemNames: [[UInt8]] { get }
}

/// Answers with another URL: a route of the router itself, or another application.
///
/// The scheme and the host are literal. A placeholder fills one segment or one value of the query, encoded; it never
/// adds a segment, an item, or a fragment. A list repeats its segment or its item.
struct RedirectHandler: RedirectingHandler, ConfiguredStage {
    static var traits: StageTraits { .redirects }

    private var target: URLTemplate

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("a URL"), let template = Template(node, source),
            let target = URLTemplate(template, at: node.place, source.faults)
        else { return nil }
        self.target = target
        if let text = node.string(source.faults) {
            for warning in ForeignPlaceholders(text: text, source: source).numberWarnings {
                source.faults.warn(warning, at: node.place)
            }
        }
        if isOwn(source) { becomeOwn(source, at: node.place) } else { checkIsAllowed(source, at: node.place) }
    }

    func fixedTarget(of schemes: [String]) -> Callback? {
        guard let action = target.fixedAction, schemes.contains(targetScheme) else { return nil }
        return action
    }

    func fillsPattern(of route: Route) -> Bool {
        guard targetScheme == route.scheme else { return false }
        let segments = target.segments.map { $0.map(\.patternText).joined() }
        return "/" + segments.joined(separator: "/") == route.pattern.text
    }

    var itemNames: [[UInt8]] { target.items.map(\.name) }

    var hasFixedAction: Bool { target.fixedAction != nil }

    func handle(_ request: Request, _ state: inout PipelineState) -> Response {
        do {
            return .redirect(try target.url(for: request))
        } catch {
            return .error(error)
        }
    }

    /// Well-known schemes, which cannot be typos of an own scheme.
    private static let foreignSchemes = [
        "http", "https", "mailto", "tel", "sms", "geo", "ftp", "sftp", "ssh", "git", "irc", "ircs", "sip", "xmpp",
        "news",
    ]

    fileprivate func isOfApplication(besides ownSchemes: [String]) -> Bool {
        !ownSchemes.contains(targetScheme) && !Self.foreignSchemes.contains(targetScheme)
    }

    private func isOwn(_ source: StageSource) -> Bool {
        source.surroundings.ownSchemes.contains(targetScheme)
    }

    private var targetScheme: String {
        String(utf8: target.origin.bytes.span.extracting(target.origin.layout.scheme)).lowercased()
    }

    /// Turns the target into a URL within the router; reports items that would have no effect.
    private mutating func becomeOwn(_ source: StageSource, at place: Place) {
        if target.items.contains(where: { isProtocolName($0.name.span) }) {
            source.faults.report("an item that begins with 'x-' has no effect within the router", at: place)
        }
        do {
            try target.becomeOwn()
        } catch {
            source.faults.report("expected a URL such as notes:/ping/{name}, found \(error)", at: place)
        }
    }

    /// Reports a target that a redirect must never have.
    private func checkIsAllowed(_ source: StageSource, at place: Place) {
        let rules = source.surroundings.callbackRules
        let scheme = targetScheme
        let near = scheme.nearest(among: source.surroundings.ownSchemes).flatMap { own in
            abs(own.count - scheme.count) < 2 && !Self.foreignSchemes.contains(scheme) ? own : nil
        }
        if rules.allow(target.origin.bytes.span, target.origin.layout, for: .socket) {
            if rules.allowed == nil, let near {
                source.faults.warn("\(scheme.quoted) is not a scheme of the router; did you mean '\(near)'?", at: place)
            }
            return
        }
        let isHopeless = CallbackRules.isRefused(scheme: targetScheme)
        let advice =
            near.map { "; did you mean '\($0)'?" } ?? (isHopeless ? "" : ": list it under 'callbacks: { allow: … }'")
        source.faults.report("a redirect to this scheme or host is not allowed\(advice)", at: place)
    }
}

extension RouterConfiguration {
    /// Whether a route redirects to an application that can answer: neither an own scheme nor a well-known one.
    package var redirectsToApplications: Bool {
        pipeline.routes.contains { route in
            guard case .immediate(let handler as RedirectHandler) = route.stages.handler.stage else { return false }
            return handler.isOfApplication(besides: pipeline.schemes.map(\.name))
        }
    }
}

extension Template.Part {
    /// The part as written in a pattern, if it is a capture.
    fileprivate var patternText: String {
        switch self {
        case .literal(let text): String(decoding: text, as: UTF8.self)
        case .parameter(let name, let isList, _): "\(isList ? "*" : ":")\(String(decoding: name, as: UTF8.self))"
        case .fact, .data: "{}"
        }
    }
}
