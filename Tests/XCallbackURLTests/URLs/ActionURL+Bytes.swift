import XCallbackURL

extension ActionURL {
    /// Parses bytes; a host that is no plain name is noted only.
    init(bytes: [UInt8], maximumItems: Int = ActionURL.defaultMaximumItems) throws(ActionURLError) {
        self.init()
        try parse(bytes.span, maximumItems: maximumItems)
    }

    /// Parses a text into this value; true if it is a URL.
    mutating func isParsed(_ text: String) -> Bool {
        do {
            try parse(Array(text.utf8).span)
            return true
        } catch {
            return false
        }
    }

    /// The action as one text; a slash within a segment is shown as `%2F`.
    var action: String {
        "/" + segments.map { $0.replacing("/", with: "%2F") }.joined(separator: "/")
    }

    /// Everything that a handler or an answer could see.
    var contents: [String] {
        [scheme, action, "\(hostIsSegment) \(String(describing: oddHostOffset))"] + items.texts
            + [source, success, error, cancel].map { $0 ?? "none" }
    }
}

extension QueryItems {
    /// Each item as `name=value`, or `name` where there is no value.
    var texts: [String] {
        map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }
    }
}
