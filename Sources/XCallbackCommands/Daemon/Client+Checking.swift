import XCallbackClient
import XCallbackConfiguration
import XCallbackJSON

extension Client {
    /// How many bytes of a file are sent at a time: with every byte escaped, and what is around them, a message by default
    /// has room for them.
    private static let partSize = 131_072
    /// How many bytes a byte has at most when it is escaped, and a message without the text.
    private static let (escapedSize, frameSize) = (6, 1024)

    /// Lets the daemon check files of a configuration.
    ///
    /// - Returns: The reply to `Check`.
    /// - Throws: ``ClientError``.
    func check(_ files: [ConfigurationFile]) async throws -> JSONValue {
        do {
            return try await call("Check", inParts: Self.parts(of: files, size: Self.partSize))
        } catch let error as ClientError {
            guard case .tooLong(let limit) = error.reason else { throw error }
            let longest = files.map(\.name.utf8.count).max() ?? 0
            let size = (limit - Self.frameSize) / Self.escapedSize - longest
            return try await call("Check", inParts: Self.parts(of: files, size: max(size, 64)))
        }
    }

    /// The calls that tell of files, so many bytes of a text in each.
    private static func parts(of files: [ConfigurationFile], size: Int) -> [JSONValue] {
        let pieces = files.flatMap { file in
            file.text.pieces(ofBytes: size).map { piece -> JSONValue in
                ["name": .string(file.name), "text": .string(piece)]
            }
        }
        return pieces.enumerated().map { index, piece in
            ["files": .array([piece]), "continues": .bool(index < pieces.count - 1)]
        }
    }
}

extension String {
    /// The text in pieces that have so many bytes at most; at least one.
    fileprivate func pieces(ofBytes size: Int) -> [String] {
        var pieces: [String] = []
        var start = startIndex
        repeat {
            var end = utf8.index(start, offsetBy: size, limitedBy: endIndex) ?? endIndex
            // Not within a character that has several bytes.
            while end < endIndex, UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
            pieces.append(String(self[start..<end]))
            start = end
        } while start < endIndex
        return pieces
    }
}
