import XCallbackURL

extension Callback {
    /// Whether it leads to a web page, which never answers.
    var isOfWeb: Bool { ["http:", "https:"].contains { text.lowercased().hasPrefix($0) } }
}
