import Glibc

/// The entries of a folder.
struct FolderEntries {
    /// The names of the visible entries, in order.
    let names: [String]

    /// Reads a folder; nil on failure, with the reason in `errno`.
    init?(of path: String) {
        guard let stream = opendir(path) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        self.names = names.sorted()
    }
}
