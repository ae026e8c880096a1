import Glibc
import XCallbackJSON
import XCallbackLinux

/// Where the command prints: the only place that writes to the terminal.
enum Terminal {
    /// Prints lines on standard output.
    ///
    /// Nobody reading any more is not a failure.
    ///
    /// - Throws: ``Failure`` if they cannot be written, for example to a full disk.
    static func print(_ text: some CustomStringConvertible) throws(Failure) {
        _ = try offer(text)
    }

    /// Prints lines on standard output.
    ///
    /// - Returns: Whether somebody still reads.
    /// - Throws: ``Failure`` if they cannot be written.
    static func offer(_ text: some CustomStringConvertible) throws(Failure) -> Bool {
        let code = write(Array("\(text)\n".utf8), to: STDOUT_FILENO)
        guard code == 0 || code == EPIPE else {
            throw Failure(.output, "cannot write the output: \(systemMessage(code))")
        }
        return code == 0
    }

    /// Prints a line of JSON on standard output.
    ///
    /// - Throws: ``Failure`` if it cannot be written.
    static func print(_ json: JSONValue) throws(Failure) { try print(json.visibleText) }

    /// Prints a line of JSON on standard output.
    ///
    /// - Returns: Whether somebody still reads.
    /// - Throws: ``Failure`` if it cannot be written.
    static func offer(_ json: JSONValue) throws(Failure) -> Bool { try offer(json.visibleText) }

    /// Whether standard output is a terminal that shows colours, and the user has not declined them (no-color.org).
    static var showsColour: Bool {
        isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR") == nil && variable("TERM") != "dumb"
    }

    /// Prints lines on standard error, with what nobody sees made visible: they may quote what others have said.
    static func printError(_ text: some CustomStringConvertible) {
        // There is nobody to tell if it fails.
        _ = write(Array("\(text)".withVisibleLines.utf8 + [UInt8(ascii: "\n")]), to: STDERR_FILENO)
    }

    /// Passes on what a program has written to standard error.
    static func writeErrors(_ bytes: ArraySlice<UInt8>) {
        _ = write(Array(bytes), to: STDERR_FILENO)
    }

    /// Writes all bytes; the value of `errno` that ended it, or 0.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.write(descriptor, part.baseAddress, part.count)
                let code = errno
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if code != EINTR {
                    return code
                }
            }
            return 0
        }
    }
}
