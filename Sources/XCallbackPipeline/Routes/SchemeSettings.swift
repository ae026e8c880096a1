package import XCallbackURL

/// A scheme of a pipeline, and how its URLs are read.
package struct SchemeSettings: Hashable, Sendable {
    /// The name, in lower case.
    package let name: String
    /// The syntax of its URLs.
    package let syntax: URLSyntax
    /// Whether a host other than `x-callback-url` is ignored, instead of being the first segment.
    package let ignoresHosts: Bool

    /// Creates the settings of a scheme.
    package init(_ name: String, syntax: URLSyntax = .callback, ignoresHosts: Bool = false) {
        self.name = name
        self.syntax = syntax
        self.ignoresHosts = ignoresHosts
    }

    /// Returns the URL of an example of a conflict: a slash before each of the matched segments.
    func url(ofExample example: String) -> String {
        let start =
            switch syntax {
            case .callback: 0
            case .url: 2
            case .text: 1
            }
        return "\(name):\(example.dropFirst(start))"
    }
}
