import XCallbackRouter
import XCallbackURL

extension Pipeline {
    /// Creates the pipeline of a router.
    ///
    /// - Throws: ``RouterError`` with all faults.
    convenience init(
        _ list: RouteList, _ own: SchemeSettings, allowedCallbacks: [String]?, parameterLimit: Int
    ) throws(RouterError) {
        var faults: [String] = []
        let allowed = allowedCallbacks?.compactMap { text in
            let allowed = CallbackRules.Allowed(text)
            if allowed == nil {
                faults.append("callbacks: '\(text)' cannot be allowed: \(CallbackRules.Allowed.reason(against: text))")
            }
            return allowed
        }
        var schemes = [own.name]
        var routes: [Route] = []
        for entry in list.finished {
            do throws(RoutePatternError) {
                let route = try Route(entry, entry.scheme == own.name ? own.syntax : .callback)
                routes.append(route)
                if let fault = entry.inputFault(route) { faults.append("\(entry.place): \(fault)") }
                if !schemes.contains(entry.scheme) { schemes.append(entry.scheme) }
            } catch {
                faults.append("\(entry.place): \(error)")
            }
        }
        for scheme in schemes where !isScheme(scheme) || scheme != scheme.lowercased() {
            faults.append("'\(scheme)' is no scheme: expected a letter, then letters, digits, '+', '-' or '.'")
        }
        for scheme in schemes where scheme == CallbackRules.answerScheme || CallbackRules.isRefused(scheme: scheme) {
            faults.append("'\(scheme)' cannot be the scheme of an application")
        }
        let settings = [own] + schemes.dropFirst().map { SchemeSettings($0, ignoresHosts: own.ignoresHosts) }
        do throws(RouteConflicts) {
            try self.init(
                schemes: settings, routes: routes,
                callbackRules: CallbackRules(settings, allowed: allowed, settings: .router),
                maximumParameters: parameterLimit, fallback: Route(fallbackOf: list, schemes))
        } catch {
            faults += error.conflicts.map { conflict in
                """
                \(conflict.second.place): '\(conflict.second.name)' and '\(conflict.first.name)' of \
                \(conflict.first.place) can answer the same URL\(conflict.example.map { ": \($0)" } ?? "")
                """
            }
            throw RouterError(faults: faults)
        }
        if !faults.isEmpty { throw RouterError(faults: faults) }
    }
}

extension SettingNames {
    /// The names of the parameters of ``Router``.
    fileprivate static let router = SettingNames(
        callbacks: "'callbacks' of the router", parameters: "parameterLimit of the router")
}

extension Route {
    fileprivate convenience init(_ entry: RouteList.Entry, _ syntax: URLSyntax) throws(RoutePatternError) {
        var pattern: RoutePattern
        if syntax == .callback {
            pattern = try RoutePattern(entry.patterns.first ?? "/")
            for rest in entry.patterns.dropFirst() { pattern = try RoutePattern(pattern, RoutePattern(rest)) }
        } else {
            pattern = try RoutePattern(entry.patterns.joined(), as: syntax)
        }
        var stages = Stages(handler: .asynchronous(entry.handler))
        stages.middleware = entry.middleware.map { NamedStage($0) }
        for policy in entry.policies {
            switch policy.stage {
            case .immediate(let policy): stages.policies.append(NamedStage(.immediate(policy)))
            case .asynchronous(let policy): stages.asyncPolicies.append(NamedStage(policy))
            }
        }
        self.init(
            scheme: entry.scheme, pattern: pattern, file: entry.options.file, line: entry.options.line,
            reach: entry.isPublic ? .open : .trusted, chain: Chain(stages))
    }

    /// Answers if no route does: the middleware of the router sees the error.
    fileprivate convenience init?(fallbackOf list: RouteList, _ schemes: [String]) {
        guard !list.middleware.isEmpty, let pattern = try? RoutePattern("/") else { return nil }
        var stages = Stages(handler: .immediate(NoRouteHandler(schemes: schemes)))
        stages.middleware = list.middleware.map { NamedStage($0) }
        self.init(scheme: "*", pattern: pattern, chain: Chain(stages))
    }
}

extension RouteList.Entry {
    /// The source location of the route.
    fileprivate var place: String { "\(options.file):\(options.line)" }

    /// Returns why the inputs of the function do not fit the captures of the pattern; nil if they do.
    fileprivate func inputFault(_ route: Route) -> String? {
        let captures = route.pattern.captures.map { "'\($0.name)'" }
        let singles = options.types.inputs?.filter(isSingle).count ?? 0
        guard singles > 1 || singles == 1 && captures.count > 1 else { return nil }
        let properties = captures.isEmpty ? "" : " with the properties \(captures.joined(separator: " and "))"
        return "'\(route.name)': a single value can only be that of one capture; take a Decodable type\(properties)"
    }
}

extension Request {
    /// The names of the captures of the route that answers.
    var captureNames: [String] { matchedRoute?.pattern.captures.map(\.name) ?? [] }
}
