import XCallbackLinux

/// The user's desktop entry, by which the desktop hands URLs to the command.
///
/// There is one for all schemes. A comment in it tells it from an entry that somebody else has written.
package struct DesktopEntry: Hashable {
    /// The name of its file, and of the file that is installed for all users.
    package static let name = "org.xcallback.Router.desktop"
    /// The comment by which the command knows what it has written.
    private static let mark = "# Written by 'xcallback register'; 'xcallback unregister' takes it back."
    private static let typePrefix = "x-scheme-handler/"
    private static let keptKey = "X-XCallback-Kept"

    /// The path of the command.
    package let program: String
    /// The schemes, in lower case, sorted.
    package let schemes: [String]
    /// Whether it lets the desktop hand URLs to the message bus instead of the command, as entries once did; it is read
    /// and never written, as some launchers end before their message is on the bus, which then never comes.
    package let isOnBus: Bool
    /// The entries of the applications that were written into the user's choices to keep a scheme, by the scheme.
    ///
    /// They are in the file so that this can be taken back.
    package var keptDefaults: [String: String] = [:]

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - program: The path of the command.
    ///   - schemes: The schemes, in lower case.
    ///   - isOnBus: Whether it lets the desktop hand URLs to the message bus.
    package init(program: String, schemes: [String], isOnBus: Bool = false) {
        self.program = program
        self.schemes = Set(schemes).sorted()
        self.isOnBus = isOnBus
    }

    /// Reads an entry that the command has written; nil if it has not.
    ///
    /// - Parameter text: The contents of the file.
    package init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.contains(where: { $0 == Self.mark }) else { return nil }
        func value(_ key: String) -> Substring? {
            lines.first { $0.hasPrefix("\(key)=") }?.dropFirst(key.utf8.count + 1)
        }
        let types = value("MimeType")?.split(separator: ";") ?? []
        self.init(
            program: value("Exec")?.split(separator: " ").first.map(String.init) ?? "",
            schemes: types.filter { $0.hasPrefix(Self.typePrefix) }.map { String($0.dropFirst(Self.typePrefix.count)) },
            isOnBus: Self.isOnBus(text))
        for item in value(Self.keptKey)?.split(separator: ";") ?? [] {
            let parts = item.split(separator: ":", maxSplits: 1).map(String.init)
            if parts.count == 2 { keptDefaults[parts[0]] = parts[1] }
        }
    }

    /// Whether an entry of any author lets the desktop hand URLs to the message bus.
    static func isOnBus(_ text: String) -> Bool {
        text.split(separator: "\n").contains { line in
            line.filter { $0 != " " && $0 != "\t" && $0 != "\r" } == "DBusActivatable=true"
        }
    }

    /// The MIME type that stands for a scheme.
    package static func type(of scheme: String) -> String { typePrefix + scheme }

    /// Whether a path can stand in an entry as it is.
    ///
    /// One that had to be quoted would be understood by some desktops only.
    package static func canHold(program: String) -> Bool {
        program.hasOnlyAlphanumerics(and: "/._-+,:@")
    }

    /// Whether the name of another entry can stand in this one as it is.
    package static func canKeep(_ name: String) -> Bool {
        name.hasOnlyAlphanumerics(and: "._-+@")
    }

    /// The contents of the file.
    ///
    /// The URL is a word of its own behind `--`: whatever it holds, it is one argument and no option.
    package var text: String {
        """
        [Desktop Entry]
        \(Self.mark)
        Type=Application
        Name=xcallback
        Comment=Answers URLs of applications and scripts
        Exec=\(program) handle -- %u
        NoDisplay=true
        Terminal=false
        StartupNotify=true
        Keywords=url;link;callback;automation;
        MimeType=\(schemes.map { "\(Self.type(of: $0));" }.joined())
        \(keptLine)
        """
    }

    private var keptLine: String {
        if keptDefaults.isEmpty { return "" }
        let items = keptDefaults.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value);" }
        return "\(Self.keptKey)=\(items.joined())\n"
    }
}
