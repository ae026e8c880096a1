import XCallback

extension QueryItems {
    /// The items as they are, not encoded.
    var text: String {
        map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }.joined(separator: "&")
    }

    /// The items as another process gets them: written into a URL and parsed again.
    func asReceived() throws -> QueryItems {
        try ActionURL(scheme: "notes", segments: ["a"], items: self).items
    }
}

/// The items of a query as it is received.
func received(_ query: String) throws -> QueryItems {
    try ActionURL("notes:/a?\(query)").items
}
