import XCallbackWire

extension String {
    /// The URL with its raw blanks and control characters percent-encoded.
    ///
    /// People type them, and browsers encode them; some desktops pass them on unencoded.
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
