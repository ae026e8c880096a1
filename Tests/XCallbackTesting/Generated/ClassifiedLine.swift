/// A line of a client, with the daemon's expected reaction to it.
package struct ClassifiedLine {
    /// Whether the line is no URL, so that the connection is closed after its error answer.
    package let endsConnection: Bool

    /// Classifies a line, for a given maximum length; nil if it is empty and has no answer.
    package init?(_ bytes: some Collection<UInt8>, limit: Int = 65_536) {
        var line = Array(bytes)
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if line.isEmpty { return nil }
        let hasControl = line.contains { $0 <= 0x20 || $0 == 0x7f }
        endsConnection = line.count > limit || hasControl || !Self.hasScheme(line)
    }

    /// Whether an answer is a scheme and a colon, without blanks and control characters.
    package static func isOneURL(_ answer: some Collection<UInt8>) -> Bool {
        Self(answer)?.endsConnection == false
    }

    private static func hasScheme(_ line: [UInt8]) -> Bool {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = String(decoding: line[..<colon], as: UTF8.self)
        return scheme.wholeMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*/) != nil
    }
}
