import XCallbackBytes
import XCallbackURL

extension Walk {
    /// Whether the answer is a URL from the request or its route, so that another party must receive it; the daemon's
    /// own answers are only for the client.
    package var namesWhomToTell: Bool { callbacks.take(response) }
}

extension Callbacks {
    /// Whether the answer is one of the callbacks or a redirect, rather than one of the daemon's own URLs.
    package func take(_ response: Response) -> Bool {
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
