import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

extension Pipeline {
    /// Creates the pipeline of a router.
    ///
    /// - Throws: ``RouterError`` with all faults.
    convenience init(
        _ list: RouteList, scheme: String, allowedCallbacks: [String]?, ignoresHosts: Bool, parameterLimit: Int
    ) throws(RouterError) {
        var faults: [String] = []
        let allowed = allowedCallbacks?.compactMap { text in
            let allowed = CallbackRules.Allowed(text)
            if allowed == nil {
                faults.append("callbacks: '\(text)' cannot be allowed: \(CallbackRules.Allowed.reason(against: text))")
            }
            return allowed
        }
        var schemes = [scheme]
        var routes: [Route] = []
        for entry in list.finished {
            do throws(RoutePatternError) {
                routes.append(try Route(entry))
                if !schemes.contains(entry.scheme) { schemes.append(entry.scheme) }
            } catch {
                faults.append("\(entry.place): \(error)")
            }
        }
        for scheme in schemes where !isScheme(scheme) {
            faults.append("'\(scheme)' is no scheme: expected a letter, then letters, digits, '+', '-' or '.'")
        }
        for scheme in schemes where scheme == CallbackRules.answerScheme || CallbackRules.isRefused(scheme: scheme) {
            faults.append("'\(scheme)' cannot be the scheme of an application")
        }
        do throws(RouteConflicts) {
            try self.init(
                schemes: schemes.map { (name: $0, ignoresHosts: ignoresHosts) }, routes: routes,
                callbackRules: CallbackRules(ownSchemes: schemes, allowed: allowed),
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

extension Route {
    fileprivate convenience init(_ entry: RouteList.Entry) throws(RoutePatternError) {
        var pattern = try RoutePattern(entry.patterns.first ?? "/")
        for rest in entry.patterns.dropFirst() { pattern = try RoutePattern(pattern, RoutePattern(rest)) }
        var stages = Stages(handler: .asynchronous(entry.handler))
        stages.middleware = entry.middleware.map { NamedStage($0) }
        for policy in entry.policies {
            switch policy.stage {
            case .immediate(let policy): stages.policies.append(NamedStage(.immediate(policy)))
            case .asynchronous(let policy): stages.asyncPolicies.append(NamedStage(policy))
            }
        }
        self.init(
            scheme: entry.scheme, pattern: pattern, file: entry.place.file, line: entry.place.line,
            reach: entry.isPublic ? .open : .trusted, chain: Chain(stages))
    }

    /// Answers if no route does: the middleware of the router sees the error.
    fileprivate convenience init?(fallbackOf list: RouteList, _ schemes: [String]) {
        guard !list.middleware.isEmpty, let pattern = try? RoutePattern("/") else { return nil }
        var stages = Stages(handler: .immediate(NoRoute(schemes: schemes)))
        stages.middleware = list.middleware.map { NamedStage($0) }
        self.init(scheme: "*", pattern: pattern, stages: stages)
    }
}

/// Answers that no route matches.
private struct NoRoute: Handler {
    let schemes: [String]

    func handle(_ request: Request, _ state: inout PipelineState) -> Response {
        .error(schemes.contains(request.url.scheme) ? .unknownAction : .unknownScheme)
    }
}

extension SourcePlace: CustomStringConvertible {
    var description: String { "\(file):\(line)" }
}

private func isScheme(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy { isLetter($0) || "0123456789+-.".utf8.contains($0) }
}

private func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }
