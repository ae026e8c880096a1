import Glibc

/// Where the command prints: the only place that writes to the terminal.
enum Output {
    /// Prints lines on standard output.
    ///
    /// Nobody reading any more is not a failure.
    ///
    /// - Throws: ``Failure`` if they cannot be written, for example to a full disk.
    static func print(_ text: some CustomStringConvertible) throws(Failure) {
        let code = write("\(text)\n", to: STDOUT_FILENO)
        guard code == 0 || code == EPIPE else {
            throw Failure(.output, "cannot write the output: \(systemMessage(code))")
        }
    }

    /// Prints lines on standard error.
    static func printError(_ text: some CustomStringConvertible) {
        // There is nobody to tell if it fails.
        _ = write("\(text)\n", to: STDERR_FILENO)
    }

    /// Writes a whole text; the value of `errno` that ended it, or 0.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                let code = errno
                if count >= 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                } else if code != EINTR {
                    return code
                }
            }
            return 0
        }
    }
}

/// The system's words for a value of `errno`.
func systemMessage(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
}

extension String {
    /// The text with its control characters as `<U+001B>`, so that a message cannot steer a terminal or end its line.
    var withVisibleControls: String {
        var result = ""
        for scalar in unicodeScalars {
            guard scalar.properties.generalCategory == .control else {
                result.unicodeScalars.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            result += "<U+\(String(repeating: "0", count: 4 - digits.count))\(digits)>"
        }
        return result
    }
}
