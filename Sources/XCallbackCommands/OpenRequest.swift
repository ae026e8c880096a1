import XCallbackConfiguration
import XCallbackURL

/// A URL to be sent, and the callbacks by which its answer is known.
package struct OpenRequest {
    /// The bytes of the URL.
    let bytes: [UInt8]
    /// Where the daemon answers a success to; nil if it answers with a URL of its own.
    let success: Callback?
    /// Where the daemon answers an error to.
    let error: Callback?
    /// Where the daemon answers a cancel to.
    let cancel: Callback?

    /// Checks a URL before anything is sent.
    ///
    /// Only what would end the conversation is refused here; the daemon answers every other fault.
    ///
    /// - Parameter text: The URL.
    /// - Throws: ``Failure`` if the text has no scheme, or a blank or control character.
    package init(_ text: String) throws(Failure) {
        let bytes = Array(text.utf8)
        do {
            _ = try URLLayout(checking: bytes.span)
        } catch {
            if error.reason == .missingScheme || error.reason == .rawControl {
                throw Failure(.usage, "the URL \(text.quoted) has \(error); nothing was sent")
            }
        }
        var url = ActionURL()
        do {
            try url.parse(bytes.span, maximumItems: Int.max)
        } catch {
            url.keepOnlyErrorCallback(of: bytes.span)
        }
        self.bytes = bytes
        success = Self.callback(url.success)
        error = Self.callback(url.error)
        cancel = Self.callback(url.cancel)
    }

    private static func callback(_ text: String?) -> Callback? {
        guard let text else { return nil }
        do {
            return try Callback(text)
        } catch {
            // The daemon refuses it and answers with a URL of its own.
            return nil
        }
    }
}
