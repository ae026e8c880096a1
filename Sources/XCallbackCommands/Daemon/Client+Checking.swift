import XCallbackClient
import XCallbackConfiguration
import XCallbackJSON

extension Client {
    /// The number of bytes of a file that are sent at a time: a message of the default size has room for them, even with every
    /// byte escaped.
    private static let partSize = 131_072
    /// The maximum size of an escaped byte, and of a message without the text.
    private static let (escapedSize, frameSize) = (6, 1024)

    /// Requests a check of configuration files from the daemon.
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

    /// Splits files into calls, each with at most a given number of bytes of text.
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
    /// Splits the text into pieces of at most a given number of bytes; at least one.
    fileprivate func pieces(ofBytes size: Int) -> [String] {
        var pieces: [String] = []
        var start = startIndex
        repeat {
            var end = utf8.index(start, offsetBy: size, limitedBy: endIndex) ?? endIndex
            // Never within a character of several bytes.
            while end < endIndex, UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
            pieces.append(String(self[start..<end]))
            start = end
        } while start < endIndex
        return pieces
    }
}
