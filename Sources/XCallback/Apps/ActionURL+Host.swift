import XCallbackURL
import XCallbackWire

extension ActionURL {
    /// Creates the URL of an action below a host.
    ///
    /// - Throws: ``ActionURLError`` if the parts do not form a valid URL.
    init(scheme: String, host: String, segments: [String], items: QueryItems) throws(ActionURLError) {
        let url = try ActionURL(scheme: scheme, segments: segments, items: items)
        let standardHost = "x-callback-url"
        guard host != standardHost else {
            self = url
            return
        }
        var encodedHost = ByteBuffer()
        encodedHost.append(percentEncoding: host.utf8.span)
        let rest = url.received.utf8.dropFirst("\(scheme)://\(standardHost)".utf8.count)
        let text = Array("\(scheme)://".utf8) + encodedHost.contents + rest
        self.init()
        try parse(text.span, maximumItems: .max)
    }
}
