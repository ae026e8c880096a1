import XCallbackConfiguration

/// The settings for all routes for a user without any: without them, no drop-in is read.
enum SetupSettings {
    /// Returns the file to write.
    ///
    /// - Parameters:
    ///   - folders: The user's folders.
    ///   - origin: The writer and remover of the file, for its first line.
    /// - Returns: The file; nil if the user or the administrator has such a file.
    static func file(in folders: UserFolders, _ origin: String) -> WrittenFile? {
        guard ConfigurationPlaces(of: nil).isEmpty else { return nil }
        let text = """
            # Written by \(origin).
            #
            # Settings for all routes of your daemon; the routes are in routes.d. See xcallbackd.yaml(5).
            middleware: [log]
            policies: [{ user: self }]

            """
        return WrittenFile(path: folders.settings, text: text, isProgram: false)
    }
}
