import Glibc
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackWire

/// A file that remembers the names of the drop-ins that were served last, for a start at which one cannot be read.
package struct DropInMemory: Sendable {
    /// The maximum size of the file, which thousands of drop-ins do not reach.
    private static let limit = 1 << 20

    private let folder: String
    private let path: String

    /// Chooses the file of a configuration; nil if the daemon has no folder for its state.
    ///
    /// A service of the system gets the folder from its manager, and a user has it in the home directory.
    init?(_ locations: Locations) {
        guard let folder = locations.stateFolder else { return nil }
        self.folder = folder
        let configuration = locations.configuration.file ?? locations.configuration.candidates[0]
        path = "\(folder)/\(DropInNames.fileName(of: configuration))"
    }

    /// Returns the names by the names of the files; empty if there are none, or if the file cannot be read.
    func read() -> [String: DropInNames] {
        guard let bytes = try? SmallFile(path, atMost: Self.limit).bytes,
            let members = (try? JSONValue(parsing: bytes.span, maximumSize: bytes.count))?.members
        else { return [:] }
        let names = members.compactMap { member in DropInNames(member.value).map { (member.name, $0) } }
        return Dictionary(names) { first, _ in first }
    }

    /// Removes the file.
    func forget() { unlink(path) }

    /// Remembers names, if they have changed; without any, there is no file.
    ///
    /// - Throws: ``SystemError`` if they cannot be written.
    func write(_ names: [String: DropInNames]) throws(SystemError) {
        if names == read() { return }
        if names.isEmpty { return forget() }
        let members = names.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value.json) }
        let bytes = JSONValue.object(members).bytes
        makeFolders(folder)
        let new = "\(path).new"
        let file = Descriptor(
            try SystemError.check("open '\(new)'") {
                open(new, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
            })
        // A disk that is full takes a part.
        let count = try SystemError.check("write '\(new)'") { Int32(Glibc.write(file.number, bytes, bytes.count)) }
        guard Int(count) == bytes.count else { throw SystemError("write '\(new)'", code: ENOSPC) }
        _ = try SystemError.check("rename '\(new)'") { rename(new, path) }
    }
}
