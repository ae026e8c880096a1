import XCallbackBytes

extension String {
    /// The text of a URL with its raw blanks and control characters encoded.
    ///
    /// People type them, and browsers encode them; some desktops hand them on as they are.
    package var withEncodedBlanks: String {
        guard utf8.contains(where: isBlankOrControl) else { return self }
        var output = ByteBuffer()
        for byte in utf8 {
            if isBlankOrControl(byte) { output.append(percentEncoding: [byte].span) } else { output.append(byte) }
        }
        return String(decoding: output.contents, as: UTF8.self)
    }
}

private func isBlankOrControl(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x7F }
