import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL
import XCallbackWire

/// Answers with another URL: a route of the router itself, or another application.
///
/// The scheme and the host are literal. A placeholder fills one segment or one value of the query, encoded; it never
/// adds a segment, an item, or a fragment. A list repeats its segment or its item.
struct RedirectHandler: Handler, ConfiguredStage {
    private var target: URLTemplate
    /// Values of each placeholder in the path, such as those of an enumeration; nil if one of them is free text.
    private let pathValues: [[String]]?

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("a URL"), let template = Template(node, source),
            let target = URLTemplate(template, at: node.place, source.faults)
        else { return nil }
        self.target = target
        pathValues = target.actionPlaceholders.isEmpty ? [] : target.values(in: source.route.input)
        self.target.isText = source.surroundings.syntax(of: targetScheme) == .text
        if isOwn(source) { becomeOwn(source, at: node.place) } else { checkIsAllowed(source, at: node.place) }
    }

    var facts: StageFacts {
        var redirect = StageFacts.Redirect(to: targetScheme, targets: configuredTargets)
        redirect.isFixed = pathValues?.isEmpty == true
        var facts = StageFacts()
        facts.redirect = redirect
        return facts
    }

    func plan(for request: Request) -> StagePlan { StagePlan(response: response(to: request)) }

    private var configuredTargets: [Callback]? {
        guard let pathValues else { return nil }
        let count = pathValues.map(\.count).max() ?? 1
        return (0..<count).compactMap { number in
            target.action(filledWith: pathValues.map { $0[number % $0.count] })
        }
    }

    func handle(_ request: Request, _ state: inout PipelineState) -> Response { response(to: request) }

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
        return source.surroundings.schemes.contains { $0.name == scheme && $0.syntax == .callback }
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
        let near = scheme.nearest(among: source.surroundings.schemeNames).flatMap { own in
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

extension URLTemplate {
    /// Returns values of each placeholder in the path; nil if one can be any text.
    fileprivate func values(in input: Input) -> [[String]]? {
        var values: [[String]] = []
        for placeholder in actionPlaceholders {
            guard case .parameter(let name, _, _) = placeholder,
                let rule = input.declarations.first(named: String(decoding: name, as: UTF8.self))?.rule, !rule.isList,
                let known = rule.type.knownValues, !known.isEmpty
            else { return nil }
            values.append(known)
        }
        return values
    }
}

extension ParameterType {
    /// All values, or examples of a type whose values cannot spell a word; nil for a type whose values are free text.
    fileprivate var knownValues: [String]? {
        switch self {
        case .enumeration(let values): values
        case .boolean: ["true", "false"]
        case .integer: ["0"]
        case .uuid: ["00000000-0000-0000-0000-000000000000"]
        case .number, .string, .date, .url, .data, .json: nil
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
