import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Answers with another URL: a route of the router itself, or another application.
///
/// The scheme and the host are literal. A placeholder fills one segment or one value of the query, encoded; it never
/// adds a segment, an item, or a fragment. A list repeats its segment or its item.
struct RedirectHandler: Handler, ConfiguredStage {
    private var target: URLTemplate
    /// Whether free text of a request can decide which action it leads to.
    private let isFree: Bool

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("a URL"), let template = Template(node, source),
            let target = URLTemplate(template, at: node.place, source.faults)
        else { return nil }
        self.target = target
        isFree = !target.actionPlaceholders.allSatisfy { source.route.input.limits($0) }
        self.target.isText = source.context.syntax(of: targetScheme) == .text
        if isOwn(source) { becomeOwn(source, at: node.place) } else { checkIsAllowed(source, at: node.place) }
    }

    var facts: StageFacts {
        StageFacts {
            $0.acts = false
            $0.redirect = StageFacts.Redirect(to: targetScheme, target: target.fixedAction, isFree: isFree)
        }
    }

    func plan(for request: Request) -> StagePlan { StagePlan(response: response(to: request)) }

    func handle(_ request: Request, _ host: any StageHost) -> Response { response(to: request) }

    private func response(to request: Request) -> Response {
        do {
            return .redirect(try target.url(for: request))
        } catch {
            return .error(error)
        }
    }

    /// Well-known schemes, which cannot be typos of an own scheme.
    fileprivate static let foreignSchemes = [
        "http", "https", "mailto", "tel", "sms", "geo", "ftp", "sftp", "ssh", "git", "irc", "ircs", "sip", "xmpp",
        "news",
    ]

    private func isOwn(_ source: StageSource) -> Bool {
        let scheme = targetScheme
        return source.context.schemes.contains { $0.name == scheme && $0.syntax == .callback }
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
        let rules = source.context.callbackRules
        let scheme = targetScheme
        let near = scheme.nearest(among: source.context.schemeNames).flatMap { own in
            abs(own.count - scheme.count) < 2 && !Self.foreignSchemes.contains(scheme) ? own : nil
        }
        if rules.allow(target.origin.bytes.span, target.origin.layout, for: .socket) {
            if rules.allowed == nil, let near, near != scheme {
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

extension Input {
    /// Whether a placeholder has only values that the configuration lists, or that cannot spell a word.
    fileprivate func limits(_ placeholder: Template.Part) -> Bool {
        guard case .parameter(let name, _, _) = placeholder,
            let rule = declarations.first(named: String(decoding: name, as: UTF8.self))?.rule, !rule.isList
        else { return false }
        switch rule.type {
        case .enumeration, .boolean, .integer, .uuid: return true
        default: return false
        }
    }
}

extension RouterConfiguration {
    /// Whether a route redirects to an application that can answer: neither an own scheme nor a well-known one.
    package var redirectsToApplications: Bool {
        pipeline.routes.contains { route in
            guard let scheme = route.stages.handler.facts.redirect?.scheme else { return false }
            return !pipeline.schemes.contains { $0.name == scheme } && !RedirectHandler.foreignSchemes.contains(scheme)
        }
    }
}
