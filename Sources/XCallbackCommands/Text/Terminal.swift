import Glibc
import XCallbackLinux
import XCallbackURL
import XCallbackWire

/// The command's output; the only code that writes to the terminal.
enum Terminal {
    /// Prints lines on standard output.
    ///
    /// A reader that has closed is not a failure.
    ///
    /// - Throws: ``Failure`` if standard output cannot be written, for example on a full disk.
    static func print(_ text: some CustomStringConvertible) throws(Failure) {
        _ = try offer(text)
    }

    /// Prints lines on standard output.
    ///
    /// - Returns: Whether the reader is still there.
    /// - Throws: ``Failure`` if standard output cannot be written.
    static func offer(_ text: some CustomStringConvertible) throws(Failure) -> Bool {
        let code = write(Array("\(text)\n".utf8), to: STDOUT_FILENO)
        guard code == 0 || code == EPIPE else {
            throw Failure(.output, "cannot write the output: \(systemMessage(code))")
        }
        return code == 0
    }

    /// Prints an item for people: `name=value`, with further lines of the value indented.
    ///
    /// - Throws: ``Failure`` if standard output cannot be written.
    static func print(item: QueryItems.Item) throws(Failure) {
        let text = item.value.map { "\(item.name)=\($0)" } ?? item.name
        try print(text.withIndentedLines)
    }

    /// Prints a line of JSON on standard output.
    ///
    /// - Throws: ``Failure`` if standard output cannot be written.
    static func print(_ json: JSONValue) throws(Failure) { try print(json.visibleText) }

    /// Prints a line of JSON on standard output.
    ///
    /// - Returns: Whether the reader is still there.
    /// - Throws: ``Failure`` if standard output cannot be written.
    static func offer(_ json: JSONValue) throws(Failure) -> Bool { try offer(json.visibleText) }

    /// Whether standard output is a terminal that supports colours, and the user has not declined them (no-color.org).
    static var showsColour: Bool {
        isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR") == nil && variable("TERM") != "dumb"
    }

    /// Prints lines on standard error, with invisible characters made visible, because the lines may quote other programs.
    static func printError(_ text: some CustomStringConvertible) {
        // A failure cannot be reported anywhere.
        _ = write(Array("\(text)".withVisibleLines.utf8 + [UInt8(ascii: "\n")]), to: STDERR_FILENO)
    }

    /// Passes on the standard error of a program.
    static func writeErrors(_ bytes: ArraySlice<UInt8>) {
        _ = write(Array(bytes), to: STDERR_FILENO)
    }

    /// Writes all bytes; returns the `errno` of a failure, or 0.
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
