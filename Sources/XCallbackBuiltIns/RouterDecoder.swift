import Logging
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

/// Decodes the keys of a whole configuration.
struct RouterDecoder {
    private(set) var limits = Limits()
    private(set) var logLevel = Logger.Level.info

    private let reader: MappingReader
    private let faults: FaultList
    private let logger: Logger

    init(_ reader: MappingReader, _ faults: FaultList, _ logger: Logger) {
        self.reader = reader
        self.faults = faults
        self.logger = logger
    }

    /// Decodes everything; nil after a fault.
    mutating func decode() -> Pipeline? {
        if let mapping = reader.mapping("limits", of: "the limits") { limits = Limits(mapping) }
        if let mapping = reader.mapping("log", of: "the log") {
            logLevel = mapping.choice("level", of: Logger.Level.self) ?? logLevel
            mapping.finish()
        }
        let schemes = decodeSchemes()
        let rules = CallbackRules(ownSchemes: schemes.map(\.name), allowed: decodeAllowedCallbacks())
        var logger = logger
        logger.logLevel = logLevel
        let surroundings = StageSource.Surroundings(
            faults: faults, logger: logger, ownSchemes: schemes.map(\.name), callbackRules: rules,
            limits: limits)
        var routeDecoder = RouteDecoder(surroundings: surroundings)
        if let definitions = reader.mapping("define", of: "the definitions") {
            routeDecoder.define(definitions)
        }
        routeDecoder.globalMiddleware = reader.node("middleware")?.elements ?? []
        routeDecoder.globalPolicies = reader.node("policies")?.elements ?? []
        let routes = (reader.list("routes") ?? []).compactMap { routeDecoder.decode($0) }
        let fallback = routeDecoder.decodeFallback()
        reader.finish()
        return faults.isEmpty ? makePipeline(schemes, routes, fallback, rules, routeDecoder.places) : nil
    }

    private func makePipeline(
        _ schemes: [(name: String, ignoresHosts: Bool)], _ routes: [Route], _ fallback: Route?,
        _ rules: CallbackRules, _ places: [ObjectIdentifier: Place]
    ) -> Pipeline? {
        do throws(RouteConflicts) {
            return try Pipeline(
                schemes: schemes, routes: routes, callbackRules: rules, maximumParameters: limits.parameters,
                maximumRedirects: limits.redirects, fallback: fallback)
        } catch {
            for conflict in error.conflicts {
                guard let first = places[ObjectIdentifier(conflict.first)],
                    let second = places[ObjectIdentifier(conflict.second)]
                else { continue }
                faults.report(
                    "two routes answer the same URL with equal rank, for example \(conflict.witness)", at: second,
                    other: Fault.Other(at: first))
            }
            return nil
        }
    }

    /// The schemes: a list of names, or a mapping of names to settings.
    private func decodeSchemes() -> [(name: String, ignoresHosts: Bool)] {
        guard let node = reader.requiredNode("schemes") else { return [] }
        var schemes: [(name: String, ignoresHosts: Bool)] = []
        func add(_ name: String, _ ignoresHosts: Bool, _ place: Place) {
            guard let name = checkedScheme(name, place) else { return }
            if schemes.contains(where: { $0.name == name }) {
                faults.report("the scheme \(name.quoted) is listed twice", at: place)
            } else {
                schemes.append((name, ignoresHosts))
            }
        }
        if case .mapping(let members) = node.content {
            for member in members { add(member.key, ignoresHosts(member), member.place) }
        } else {
            for element in node.elements { if let name = element.string(faults) { add(name, false, element.place) } }
        }
        if schemes.isEmpty, faults.isEmpty { faults.report("expected at least one scheme", at: node.place) }
        return schemes
    }

    private func ignoresHosts(_ member: Node.Member) -> Bool {
        guard !member.value.isNull, let settings = MappingReader(member.value, of: "a scheme", faults: faults)
        else { return false }
        let hosts = settings.choice("hosts", of: ["action", "ignore"])
        settings.finish()
        return hosts == "ignore"
    }

    /// The name of a scheme in lower case, or nil after a fault.
    private func checkedScheme(_ name: String, _ place: Place) -> String? {
        let bytes = Array(name.utf8)
        let isValid = !bytes.isEmpty && bytes.indices.allSatisfy { isSchemeByte(bytes[$0], isFirst: $0 == 0) }
        let scheme = name.lowercased()
        if !isValid {
            faults.report(
                "\(name.quoted) is not a scheme: expected a letter, then letters, digits, '+', '-' or '.'", at: place)
        } else if scheme == CallbackRules.answerScheme {
            faults.report("the scheme \(scheme.quoted) is the daemon's own: choose another", at: place)
        } else if CallbackRules.isRefused(scheme: scheme) || scheme == "http" || scheme == "https" {
            faults.report("the scheme \(scheme.quoted) cannot be a router's own: choose another", at: place)
        } else {
            return scheme
        }
        return nil
    }

    /// What `callbacks: { allow: … }` lists; nil without a list.
    private func decodeAllowedCallbacks() -> [CallbackRules.Allowed]? {
        guard let mapping = reader.mapping("callbacks", of: "the callbacks") else { return nil }
        defer { mapping.finish() }
        guard let node = mapping.node("allow") else { return nil }
        return node.elements.compactMap { element in
            guard let text = element.string(faults) else { return nil }
            guard let allowed = CallbackRules.Allowed(text) else {
                faults.report(
                    "\(text.quoted) cannot be allowed: expected a scheme such as app, or a site such as "
                        + "https://example.org", at: element.place)
                return nil
            }
            return allowed
        }
    }
}

extension CallbackRules.Allowed {
    /// Reads a scheme, or a web site without a path.
    fileprivate init?(_ text: String) {
        let bytes = Array(text.lowercased().utf8)
        if !bytes.isEmpty, bytes.indices.allSatisfy({ isSchemeByte(bytes[$0], isFirst: $0 == 0) }) {
            let scheme = text.lowercased()
            guard !CallbackRules.isRefused(scheme: scheme), scheme != "http", scheme != "https" else { return nil }
            self = .scheme(scheme)
            return
        }
        guard let callback = try? Callback(bytes: bytes), let authority = callback.layout.authority,
            !authority.isEmpty, authority.upperBound == bytes.count, bytes[authority].allSatisfy(isHostByte)
        else { return nil }
        let scheme = String(utf8: bytes.span.extracting(callback.layout.scheme))
        if CallbackRules.isRefused(scheme: scheme) { return nil }
        self = .site(scheme: scheme, authority: String(utf8: bytes.span.extracting(authority)))
    }
}

/// Whether a byte may stand in a host or before its port; no pattern and no user name is meant.
private func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: true
    case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"): true
    default: false
    }
}
