import XCallbackConfiguration

/// The settings for all routes that a user needs who has none: without them, no drop-in is read.
enum SetupSettings {
    private static let text = """
        # Written by 'xcallback setup'; 'xcallback setup --undo NAME' removes it with the last example.
        #
        # Settings for all routes of your daemon; the routes are in routes.d. See xcallbackd.yaml(5).
        middleware: [log]
        policies: [{ user: self }]

        """

    /// The file; nil if the user, or the administrator, has such a file.
    static func file(in folders: UserFolders) -> WrittenFile? {
        guard ConfigurationPlaces(of: nil).isEmpty else { return nil }
        return WrittenFile(path: folders.settings, text: text, isProgram: false)
    }
}
