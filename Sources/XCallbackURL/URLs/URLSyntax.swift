/// How the URLs of a scheme are read.
public enum URLSyntax: String, Hashable, Sendable, CaseIterable {
    /// An action with parameters and callbacks, after x-callback-url.com.
    case callback
    /// A URL that another specification defines, with a host, a path, a query and a fragment: `ssh://ann@host:22`.
    case url
    /// Text that only the handler reads: `mpv:https://host/x?a=b#c`.
    case text
}
