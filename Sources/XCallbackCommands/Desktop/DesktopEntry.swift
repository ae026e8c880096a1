import XCallbackLinux

/// The user's desktop entry, through which the desktop passes URLs to the command.
///
/// One entry covers all schemes. A comment in it distinguishes it from entries of other authors.
package struct DesktopEntry: Hashable {
    /// The name of its file, and of the file for all users.
    package static let name = "org.xcallback.Router.desktop"
    /// The comment that identifies entries of the command.
    private static let mark = "# Written by 'xcallback register'; 'xcallback unregister' takes it back."
    private static let typePrefix = "x-scheme-handler/"
    private static let keptKey = "X-XCallback-Kept"
    /// The schemes of web pages, whose handlers are browsers.
    package static let webSchemes: Set = ["http", "https"]
    /// The types of files that browsers declare, besides their schemes.
    package static let pageTypes = ["text/html", "application/xhtml+xml"]

    /// The path of the command.
    package let program: String
    /// The schemes, in lower case, sorted.
    package let schemes: [String]
    /// The entries of applications that were written into the user's choices to keep a scheme, by scheme.
    ///
    /// The file contains them so that they can be undone.
    package var keptDefaults: [String: String] = [:]
    /// The desktop entry of the browser that opens what the daemon does not; nil if the schemes of web pages are not listed.
    package var browser: String?

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - program: The path of the command.
    ///   - schemes: The schemes, in lower case.
    package init(program: String, schemes: [String]) {
        self.program = program
        self.schemes = Set(schemes).sorted()
    }

    /// Parses an entry that the command has written; nil for any other.
    ///
    /// - Parameter text: The contents of the file.
    package init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.contains(where: { $0 == Self.mark }) else { return nil }
        func value(_ key: String) -> Substring? {
            lines.first { $0.hasPrefix("\(key)=") }?.dropFirst(key.utf8.count + 1)
        }
        let types = value("MimeType")?.split(separator: ";") ?? []
        let words = value("Exec")?.split(separator: " ").map(String.init) ?? []
        self.init(
            program: words.first ?? "",
            schemes: types.filter { $0.hasPrefix(Self.typePrefix) }.map { String($0.dropFirst(Self.typePrefix.count)) })
        for item in value(Self.keptKey)?.split(separator: ";") ?? [] {
            let parts = item.split(separator: ":", maxSplits: 1).map(String.init)
            if parts.count == 2 { keptDefaults[parts[0]] = parts[1] }
        }
        browser = words.firstIndex(of: "--browser").flatMap { words.dropFirst($0 + 1).first }
    }

    /// Returns the MIME type of a scheme; that of files stays as it is.
    package static func type(of scheme: String) -> String { scheme.contains("/") ? scheme : typePrefix + scheme }

    /// Whether a path can be written into an entry verbatim.
    ///
    /// Only some desktops understand a quoted path.
    package static func canHold(program: String) -> Bool {
        program.hasOnlyAlphanumerics(and: "/._-+,:@")
    }

    /// Whether the name of another entry can be written into this one verbatim.
    package static func canKeep(_ name: String) -> Bool {
        name.hasOnlyAlphanumerics(and: "._-+@")
    }

    /// The contents of the file.
    ///
    /// The URL is a separate word after `--`: whatever it contains, it is one argument and not an option. Desktops offer it
    /// as a browser if it stands in for one.
    package var text: String {
        """
        [Desktop Entry]
        \(Self.mark)
        Type=Application
        Name=\(browser == nil ? "xcallback" : "Link chooser (xcallback)")
        Comment=\(browser == nil ? "Answers URLs of applications and scripts" : "Opens each link in the right browser")
        Exec=\(program) handle \(browser.map { "--browser \($0) " } ?? "")-- %u
        \(browser == nil ? "NoDisplay=true" : "Categories=Network;WebBrowser;")
        Terminal=false
        StartupNotify=false
        Keywords=url;link;callback;automation;
        MimeType=\(types.map { "\($0);" }.joined())
        \(keptLine)
        """
    }

    private var types: [String] { schemes.map { Self.type(of: $0) } + (browser == nil ? [] : Self.pageTypes) }

    private var keptLine: String {
        if keptDefaults.isEmpty { return "" }
        let items = keptDefaults.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value);" }
        return "\(Self.keptKey)=\(items.joined())\n"
    }
}
