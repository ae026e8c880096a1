import Glibc
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackWire

/// Accepts the requests of some applications: `app: org.gnome.Evince`, `app: snap.firefox`, or a list.
///
/// The application of a sandbox is enforced. The name of the unit in which the desktop started an application is only
/// advisory, because every process of the user can choose such a name: it counts with
/// `app: { ids: …, advisory: true }`.
struct AppPolicy: ProcessPolicy {
    static let words = (name: "app", kind: "application")
    /// If a sandbox started an assistant, the facts about the assistant's process include that sandbox.
    static let checksAgents = true

    let names: [String]
    private let countsAdvisory: Bool

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("the id of an application, or a list of ids") else { return nil }
        var names = node
        var countsAdvisory = false
        if case .mapping = node.content {
            guard let reader = MappingReader(node, of: "an 'app' policy", faults: source.faults) else { return nil }
            let ids = reader.requiredNode("ids")
            countsAdvisory = reader.bool("advisory") ?? false
            reader.finish()
            guard let ids else { return nil }
            names = ids
        }
        guard let texts = names.strings(source.faults) else { return nil }
        if texts.isEmpty { source.faults.report("expected at least one application", at: names.place) }
        for text in texts where text.isEmpty || text.contains("/") || text.hasSuffix(".desktop") {
            source.faults.report(
                "expected the id of an application, such as org.gnome.Evince or snap.firefox, found \(text.quoted)",
                at: names.place)
        }
        self.names = texts
        self.countsAdvisory = countsAdvisory
    }

    func reasonAgainst(_ process: Int32) -> ProcessRefusal? {
        guard let app = AppIdentity(ofProcess: process) else { return .unknown }
        guard names.contains(where: { areEqual($0, app.name) }) else { return .other }
        return app.isEnforced || countsAdvisory
            ? nil : .reason("only the name of its unit says which application it is from")
    }
}

/// The application of a process, and whether a sandbox enforces it.
package struct AppIdentity: Hashable, Sendable {
    /// The ID: that of a Flatpak, `snap.` and the name of a Snap, or that of a desktop entry.
    package let name: String
    /// Whether a sandbox sets the ID, so that the process cannot change it.
    package let isEnforced: Bool
}

extension AppIdentity {
    /// Finds the application of a process; nil if it has none.
    ///
    /// - Parameter process: The process ID, which must not be reused meanwhile.
    init?(ofProcess process: Int32) {
        do throws(SystemError) {
            if let file = try Self.sandboxFile(of: process) {
                // A process in a sandbox belongs to that application only, whatever its unit is called.
                guard let name = Self.name(inSandboxFile: file) else { return nil }
                self.init(name: name, isEnforced: true)
                return
            }
        } catch {
            return nil
        }
        for attribute in ["apparmor/current", "current"] {
            guard let file = try? SmallFile("/proc/\(process)/attr/\(attribute)") else { continue }
            guard let snap = Self.snap(inLabel: file.text) else { break }
            self.init(name: "snap.\(snap)", isEnforced: true)
            return
        }
        guard let file = try? SmallFile("/proc/\(process)/cgroup"), let name = Self.name(inGroups: file.text)
        else { return nil }
        self.init(name: name, isEnforced: false)
    }

    /// Returns the text of the file that Flatpak puts into the root directory of its sandboxes.
    ///
    /// - Returns: The text; nil outside of a sandbox, or if the daemon has no access.
    /// - Throws: ``SystemError`` if the file exists but cannot be read.
    private static func sandboxFile(of process: Int32) throws(SystemError) -> String? {
        guard let root = Descriptor(rootOfProcess: process) else { return nil }
        do throws(SystemError) {
            return try SmallFile(".flatpak-info", in: root.number, isFollowed: false).text
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }
}

// MARK: - Parsing

extension AppIdentity {
    /// Returns the ID in a `.flatpak-info`: `name` in the group `Application`; nil if it is missing.
    package static func name(inSandboxFile text: String) -> String? {
        var group = ""
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("["), line.hasSuffix("]") {
                group = String(line.dropFirst().dropLast())
                continue
            }
            let words = line.split { "= \t".contains($0) }
            if group == "Application", words.first == "name" { return words.count > 1 ? String(words[1]) : nil }
        }
        return nil
    }

    /// Returns the name of the Snap in an AppArmor label such as `snap.firefox.firefox (enforce)`; nil if it is not
    /// enforced.
    package static func snap(inLabel text: String) -> String? {
        let words = text.split { $0 == " " || $0 == "\n" || $0 == "\0" }
        guard words.count == 2, words[1] == "(enforce)" else { return nil }
        let parts = words[0].split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0] == "snap", !parts[1].isEmpty else { return nil }
        return String(parts[1])
    }

    /// Returns the application whose unit is the outermost among the control groups of a process.
    ///
    /// Only the outermost counts, because a process can create groups with any name below its own.
    package static func name(inGroups text: String) -> String? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[1].isEmpty || fields[1] == "name=systemd" else { continue }
            for unit in fields[2].split(separator: "/") { if let name = name(ofUnit: unit) { return name } }
        }
        return nil
    }

    /// Returns the application of a unit: `app[-LAUNCHER]-ID-RANDOM.scope`, `app[-LAUNCHER]-ID[@RANDOM].service`, or
    /// `snap.NAME.APP…`.
    private static func name(ofUnit unit: Substring) -> String? {
        let isScope = unit.hasSuffix(".scope")
        guard isScope || unit.hasSuffix(".service") else { return nil }
        var rest = unit[..<(unit.lastIndex(of: ".") ?? unit.endIndex)]
        if rest.hasPrefix("snap.") {
            let parts = rest.split(separator: ".")
            return parts.count >= 3 ? "snap.\(parts[1])" : nil
        }
        guard rest.hasPrefix("app-") else { return nil }
        rest = rest.dropFirst("app-".count)
        if isScope {
            guard let dash = rest.lastIndex(of: "-") else { return nil }
            rest = rest[..<dash]
        } else if let at = rest.firstIndex(of: "@") {
            rest = rest[..<at]
        }
        // A dash in the ID is escaped as `\x2d`.
        let id = rest.split(separator: "-", omittingEmptySubsequences: false).last ?? ""
        return id.isEmpty ? nil : unescaped(id)
    }

    /// Unescapes a systemd name, such as `\x2d` for a dash; nil if an escape is invalid.
    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.dropFirst().prefix(2)
            guard rest.first == UInt8(ascii: "x"), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(3)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
