import XCallbackLinux

/// The desktop entry of an application.
struct ApplicationFile {
    /// Its path.
    let path: String
    /// The name shown to people; nil if missing.
    let title: String?

    /// Finds the first readable entry with a name, by precedence; nil if none.
    ///
    /// - Parameter name: The name of the file.
    init?(_ name: String) {
        guard let folders = try? DesktopFolders() else { return nil }
        for folder in [folders.applications] + folders.sharedApplications {
            let file = UserFile(path: "\(folder)/\(name)")
            guard let text = try? file.read() else { continue }
            path = file.path
            title = text.split(separator: "\n").first { $0.hasPrefix("Name=") }.map { String($0.dropFirst(5)) }
            return
        }
        return nil
    }

    /// The name of the application in a sentence.
    static func description(of name: String) -> String {
        guard let file = ApplicationFile(name) else { return name }
        return file.title.map { "\($0) (\(file.path))" } ?? file.path
    }
}
