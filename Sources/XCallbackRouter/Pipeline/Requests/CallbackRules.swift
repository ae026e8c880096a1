package import XCallbackURL
import XCallbackWire

/// The names of settings in the messages of a pipeline: the daemon's configuration and a router of the library differ.
package struct SettingNames: Sendable {
    /// The list of allowed callbacks.
    let callbacks: String
    /// The maximum number of parameters.
    let parameters: String

    /// Creates names.
    package init(callbacks: String, parameters: String) {
        self.callbacks = callbacks
        self.parameters = parameters
    }

    /// The names in the daemon's configuration.
    package static let configuration = SettingNames(
        callbacks: "'callbacks: { allow: ... }'", parameters: "limits: parameters")

    /// Returns the error of a URL that cannot be read.
    func callbackError(of error: ActionURLError) -> CallbackError {
        guard case .tooManyItems(let limit) = error.reason else { return error.callbackError }
        return CallbackError(.tooLarge, "The URL has more than \(limit) parameters (\(parameters)).")
    }
}

/// The rules for the URLs that receive answers.
package struct CallbackRules: Sendable {
    /// A URL that the configuration allows.
    package enum Allowed: Hashable, Sendable {
        /// Every URL of a scheme, in lower case.
        case scheme(String)
        /// The URLs of a web site: its scheme, and its host and port as written, in lower case.
        case site(scheme: String, authority: String)
    }

    /// The schemes that never receive an answer, because opening their URLs can run the content.
    ///
    /// Schemes that begin with `ms-` are rejected, too.
    package static let refusedSchemes = ["javascript", "data", "file", "vbscript", "shell", "blob", "about"]
    /// The scheme of the daemon's own answers.
    package static let answerScheme = "xcallback"

    /// The allowed URLs of the configuration; nil if it has no list.
    package let allowed: [Allowed]?
    private let hasList: Bool
    private let ownSchemes: SchemeList
    private let allowedSchemes: SchemeList
    private let refusedSchemes = SchemeList(Self.refusedSchemes)
    private let webSchemes = SchemeList(["http", "https"])
    /// The schemes of the router that are not its own, because their URLs are no callbacks.
    private let foreignSchemes: SchemeList
    private let allowedSites: [(scheme: [UInt8], authority: [UInt8])]
    /// The result of every request with a callback; nil if it varies.
    let refusal: CallbackError?
    /// The names of settings in messages.
    let settings: SettingNames

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - schemes: The schemes of the router.
    ///   - allowed: The allowed URLs of the configuration; nil if it has no list.
    ///   - settings: The names of settings in messages.
    ///   - refusal: If no callback is allowed, the error of each request with one.
    package init(
        _ schemes: [SchemeSettings], allowed: [Allowed]? = nil, settings: SettingNames = .configuration,
        refusal: CallbackError? = nil
    ) {
        self.refusal = refusal
        self.settings = settings
        self.allowed = allowed
        hasList = allowed != nil
        let ownSchemes = schemes.filter { $0.syntax == .callback }.map(\.name) + [Self.answerScheme]
        self.ownSchemes = SchemeList(refusal == nil ? ownSchemes : [])
        foreignSchemes = SchemeList(schemes.filter { $0.syntax != .callback }.map(\.name))
        allowedSchemes = SchemeList(
            (allowed ?? []).compactMap { if case .scheme(let scheme) = $0 { scheme } else { nil } })
        allowedSites = (allowed ?? []).compactMap {
            guard case .site(let scheme, let authority) = $0 else { return nil }
            return (Array(scheme.utf8), Array(authority.utf8))
        }
    }

    /// Whether a scheme never receives an answer.
    package static func isRefused(scheme: String) -> Bool {
        let scheme = scheme.lowercased()
        return refusedSchemes.contains(scheme) || scheme.hasPrefix("ms-")
    }

    /// Whether a URL may receive the answer to a request.
    ///
    /// - Parameters:
    ///   - url: The bytes of the URL.
    ///   - layout: The positions of its parts.
    ///   - origin: The origin of the request.
    /// - Returns: Whether the URL is allowed.
    @inline(__always)
    func allowCallback(_ url: Span<UInt8>, _ layout: URLLayout, for origin: Origin) -> Bool {
        if !hasList, foreignSchemes.contains(url.extracting(layout.scheme)) { return false }
        return allow(url, layout, for: origin)
    }

    /// Whether a redirect may lead to a URL; the schemes of the router with other syntaxes count like unknown ones, so
    /// that the meaning of a redirect does not depend on them.
    @inline(__always)
    package func allow(_ url: Span<UInt8>, _ layout: URLLayout, for origin: Origin) -> Bool {
        let scheme = url.extracting(layout.scheme)
        if ownSchemes.contains(scheme) { return true }
        if neverTakesAnswers(scheme) { return false }
        guard hasList else { return !origin.isForeign && !webSchemes.contains(scheme) }
        return allowedSchemes.contains(scheme) || isAllowedSite(url, layout)
    }

    @inline(__always)
    private func neverTakesAnswers(_ scheme: Span<UInt8>) -> Bool {
        if refusedSchemes.contains(scheme) { return true }
        return scheme.count >= 3 && scheme[2] == UInt8(ascii: "-") && asciiLowercase(scheme[0]) == UInt8(ascii: "m")
            && asciiLowercase(scheme[1]) == UInt8(ascii: "s")
    }

    private func isAllowedSite(_ url: Span<UInt8>, _ layout: URLLayout) -> Bool {
        guard let authority = layout.authority else { return false }
        for site in allowedSites
        where areEqualIgnoringCase(site.scheme.span, url.extracting(layout.scheme))
            && areEqualIgnoringCase(site.authority.span, url.extracting(authority))
        {
            return true
        }
        return false
    }
}
