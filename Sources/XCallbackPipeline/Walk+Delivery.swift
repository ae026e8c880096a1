import XCallbackURL

extension Walk {
    /// Whether the answer is a URL that the request or its route names, so that somebody is to be told by it; one of the
    /// daemon's own tells only the client.
    package var namesWhomToTell: Bool {
        switch response {
        case .success: callbacks.success != nil
        case .error: callbacks.error != nil
        case .cancel: callbacks.cancel != nil
        case .redirect: true
        }
    }
}

extension Pipeline {
    /// Whether a URL is the daemon's to answer: it has one of the pipeline's schemes, or that of the daemon itself.
    ///
    /// - Parameter url: A URL, such as the answer to a request.
    package func isToAnswer(_ url: Span<UInt8>) -> Bool {
        do throws(ActionURLError) {
            let layout = try URLLayout(checking: url)
            let scheme = url.extracting(layout.scheme)
            return owns(scheme: scheme) || areEqualIgnoringCase(CallbackRules.answerScheme.utf8.span, scheme)
        } catch {
            return false
        }
    }
}
