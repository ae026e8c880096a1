/// The file with the record of a user's setups.
struct SetupFile: Sendable {
    private let file: UserFile

    /// Locates the file in the user's folders.
    init(in folders: UserFolders) {
        file = UserFile(path: folders.record)
    }

    /// Reads the record; empty if nothing was set up.
    ///
    /// - Throws: ``Failure`` if it cannot be read, or is invalid.
    func read() throws(Failure) -> SetupRecord {
        guard let text = try file.read() else { return SetupRecord() }
        guard let record = SetupRecord(text) else {
            throw Failure(
                .errorAnswer,
                "'\(file.path)', the record of 'xcallback setup', is damaged\n"
                    + "delete it, then delete the files that 'xcallback setup' wrote")
        }
        return record
    }

    /// Writes the record; an empty one removes the file.
    ///
    /// - Throws: ``Failure`` if it cannot be written.
    func write(_ record: SetupRecord) throws(Failure) {
        if record.isEmpty {
            try file.remove()
        } else {
            try file.replace(with: record.text, permissions: 0o600)
        }
    }
}
