package import XCallbackURL
import XCallbackWire

/// The possible targets of the answer to a request: its callbacks, checked.
package struct Callbacks: Sendable {
    /// A callback in the storage of the request's URL.
    struct Place: Sendable {
        let range: Range<Int>
        let layout: URLLayout
    }

    private(set) var success: Place?
    private(set) var error: Place?
    private(set) var cancel: Place?

    /// No callbacks: every answer is the daemon's own.
    package init() {}

    /// Checks the callbacks of a URL.
    ///
    /// The error callback is checked first, so that it receives a fault of another one.
    ///
    /// - Throws: ``CallbackError`` naming the first callback that is malformed or not allowed.
    @inline(__always)
    package mutating func check(_ url: borrowing ActionURL, _ rules: CallbackRules, _ origin: Origin)
        throws(CallbackError)
    {
        self = Callbacks()
        let texts = url.storage.bytes.span
        if let range = url.range(of: .error) { error = try Self.place(of: .error, at: range, in: texts, rules, origin) }
        if let range = url.range(of: .success) {
            success = try Self.place(of: .success, at: range, in: texts, rules, origin)
        }
        if let range = url.range(of: .cancel) {
            cancel = try Self.place(of: .cancel, at: range, in: texts, rules, origin)
        }
    }

    @inline(never)
    private static func place(
        of item: ActionURL.ProtocolItem, at range: Range<Int>, in texts: Span<UInt8>, _ rules: CallbackRules,
        _ origin: Origin
    ) throws(CallbackError) -> Place {
        let text = texts.extracting(range)
        let layout: URLLayout
        do {
            layout = try URLLayout(checking: text)
        } catch {
            throw CallbackError(.malformed, "The callback in '\(item.name)' is not a URL: it has \(error).")
        }
        if let refusal = rules.refusal { throw refusal }
        guard rules.allowCallback(text, layout, for: origin) else {
            throw CallbackError(
                .malformed,
                "The callback in '\(item.name)' has a scheme or host that \(rules.settings.callbacks) does not list.")
        }
        return Place(range: range, layout: layout)
    }
}

extension Callbacks {
    /// Whether the answer is one of the callbacks or a redirect, rather than one of the daemon's own URLs.
    package func hasTarget(for response: Response) -> Bool {
        switch response {
        case .success: success != nil
        case .error: error != nil
        case .cancel: cancel != nil
        case .redirect: true
        }
    }
}

extension Pipeline {
    /// Whether the daemon answers a URL: it has a scheme of the pipeline, or of the daemon itself.
    ///
    /// - Parameter url: A URL, such as the answer to a request.
    /// - Returns: Whether the daemon answers it.
    package func answersItself(_ url: Span<UInt8>) -> Bool {
        do throws(ActionURLError) {
            let layout = try URLLayout(checking: url)
            let scheme = url.extracting(layout.scheme)
            return owns(scheme: scheme) || areEqualIgnoringCase(CallbackRules.answerScheme.utf8.span, scheme)
        } catch {
            return false
        }
    }
}
