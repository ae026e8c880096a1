import XCallbackURL

extension Callback {
    /// Whether the callback is a web page, which never answers.
    var isOfWeb: Bool { ["http:", "https:"].contains { text.lowercased().hasPrefix($0) } }
}
