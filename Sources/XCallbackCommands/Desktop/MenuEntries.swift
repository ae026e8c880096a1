import Glibc
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackWire

/// The desktop entries by which launchers find actions: one for each route with `menu: true` in the user's own files.
///
/// Commands write them, and never the daemon. A key marks them; a file without it stays as it is.
struct MenuEntries {
    private static let key = "X-XCallback-Route"

    /// The folder of the entries.
    let folder: String
    /// The texts of the entries, by path: as they are, and as they should be.
    private let present: [String: String]
    private var wanted: [String: String] = [:]

    /// Reads the entries that exist, to remove all of them.
    private init() throws(Failure) {
        let folder = try DesktopFolders().applications
        let paths = visibleEntries(of: folder).filter { $0.hasPrefix("xcallback-") }.map { "\(folder)/\($0)" }
        let texts = paths.map { ($0, (try? UserFile(path: $0).read()) ?? "") }
        self.folder = folder
        // Names that are not UTF-8 can read the same.
        present = Dictionary(texts.filter { $0.1.contains(text: "\n\(Self.key)=") }) { first, _ in first }
    }

    /// Reads the entries that exist, and those of a user's configuration.
    ///
    /// - Parameters:
    ///   - configuration: The configuration; nil if there is none.
    ///   - names: The routes that the daemon serves; nil for all.
    /// - Throws: ``Failure`` if the folders or the command cannot be found.
    init(of configuration: RouterConfiguration?, served names: Set<String>?) throws(Failure) {
        try self.init()
        let own = "\(ConfigurationPlaces(of: nil).directories[0])/"
        let items = (configuration?.menuItems ?? []).filter { item in
            item.route.file.hasPrefix(own) && names?.contains(item.route.name) != false
        }
        if items.isEmpty { return }
        let program = try Registration.program()
        let folders = [folder] + (try DesktopFolders().sharedApplications)
        let others = LinkEntry.all(in: folders).filter { !$0.hasKey(Self.key) }.flatMap(\.titles)
        let taken = Set(others.map { $0.lowercased() })
        var titles: Set<String> = []
        for item in items {
            // People recognize the route in its letters.
            let name = item.route.name
            let words = name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "-").prefix(60)
            let path = "\(folder)/xcallback-\(words)-\(WrittenFile(path: "", bytes: Array(name.utf8)).hash).desktop"
            // Routes of one name have one entry: the values decide which one runs. A file without the key is the user's.
            if wanted[path] != nil || present[path] == nil && WrittenFile(path: path, hash: "").exists { continue }
            var title = item.title
            if taken.contains(title.desktopValue.lowercased()) { title += " (xcallback)" }
            if !titles.insert(title).inserted { title += " (\(name))" }
            wanted[path] = Self.text(of: item, titled: title, program)
        }
    }

    private static func text(of item: MenuItem, titled title: String, _ program: String) -> String {
        let (name, word) = (item.route.name, DesktopEntry.word(for: program) ?? program)
        let comment = [item.description?.firstSentence, name].compactMap(\.self).joined(separator: " ")
        // wofi distinguishes capitals, and not all launchers know that ';' can be escaped.
        let keywords = [item.group, item.route.scheme, title.lowercased()].map {
            "\($0.desktopValue.replacing(each: ";", with: " "));"
        }
        let quoted = ["\\", "\"", "`", "$"].reduce(name) { $0.replacing(each: $1, with: "\\\($1)") }
        return """
            [Desktop Entry]
            Type=Application
            Name=\(title.desktopValue)
            GenericName=\(item.group.desktopValue)
            Comment=\(comment.desktopValue)
            Keywords=\(keywords.joined())
            Icon=\((item.icon ?? "system-run").desktopValue)
            Exec=\(word) pick --user "\(quoted.replacing(each: "%", with: "%%").desktopValue)"
            TryExec=\(program)
            Categories=Utility;
            \(key)=\(name.desktopValue)

            """
    }

    /// The paths of entries to write, and of those to remove.
    var changes: (written: [String], removed: [String]) {
        (
            wanted.filter { present[$0.key] != $0.value }.keys.sorted(),
            present.keys.filter { wanted[$0] == nil }.sorted()
        )
    }

    /// Writes and removes entries.
    ///
    /// - Returns: What was changed, for people; nil if nothing was.
    private func write() throws(Failure) -> String? {
        let (written, removed) = changes
        for path in removed { try UserFile(path: path).remove() }
        for path in written { try UserFile(path: path).replace(with: wanted[path] ?? "") }
        if written.isEmpty, removed.isEmpty { return nil }
        return "entries of actions: \(written.count) written, \(removed.count) removed; GNOME needs up to 11 s"
    }

    /// Lets launchers show what the user's daemon serves.
    ///
    /// - Parameter names: The routes that it serves; nil for all of the files.
    /// - Returns: What was changed, for people; nil if nothing was.
    static func update(served names: Set<String>? = nil) -> String? {
        let configuration = try? RouterConfiguration(loading: nil)
        // The command reports faults. What a daemon serves without files is in the folders of another environment.
        guard geteuid() != 0, configuration != nil || ConfigurationPlaces(of: nil).isEmpty && names?.isEmpty != false
        else { return nil }
        do throws(Failure) {
            return try MenuEntries(of: configuration, served: names).write()
        } catch {
            Terminal.printError("xcallback: launchers show old actions: \(error.message)")
            return nil
        }
    }

    /// Removes all entries; returns what was changed.
    static func remove() throws(Failure) -> String? { try MenuEntries().write() }
}

extension SocketOption {
    /// Lets launchers show what the user's daemon serves, unless another one is named; returns what was changed.
    func updateMenuEntries(of daemon: Client) async -> String? {
        guard (try? SocketLocation(option: socket).path()) == SocketLocation.userPath() else { return nil }
        return MenuEntries.update(served: (try? await daemon.routes().map(\.name)).map { Set($0) })
    }
}

extension String {
    /// The text as a value of a desktop entry, whose texts have no control characters.
    fileprivate var desktopValue: String { replacing(each: "\\", with: "\\\\") }
}
