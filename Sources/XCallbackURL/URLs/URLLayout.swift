import Glibc
import XCallbackWire

/// The ranges of a URL's parts in its bytes (RFC 3986, section 3).
///
/// The bytes are validated: a scheme, no blank or control character, two hexadecimal digits after each `%`. The
/// parts are not decoded, which is up to the program that opens the URL.
@usableFromInline
package struct URLLayout: Hashable, Sendable {
    /// The part between `//` and the path: user, host and port; nil without `//`.
    package let authority: Range<Int>?
    /// The end of the path: the `?`, the `#` or the end of the URL.
    package let pathEnd: Int
    /// The position of the fragment's `#`, or the end.
    package let fragmentStart: Int
    private let schemeEnd: Int

    /// The scheme, without its colon.
    package var scheme: Range<Int> { 0..<schemeEnd }
    /// The part after the first `?`, up to the fragment; nil without `?`.
    package var query: Range<Int>? { pathEnd < fragmentStart ? pathEnd + 1..<fragmentStart : nil }

    /// Finds the parts of a URL.
    ///
    /// - Parameters:
    ///   - bytes: The URL.
    ///   - escapes: Whether escapes are checked.
    /// - Throws: ``ActionURLError`` for a missing scheme, a raw blank or control character, or an invalid escape.
    package init(checking bytes: Span<UInt8>, escapes: Bool = true) throws(ActionURLError) {
        guard let colon = endOfScheme(in: bytes) else { throw ActionURLError(.missingScheme, at: 0) }
        var hasEscapes = false
        var position = colon + 1
        schemeEnd = colon
        if position + 1 < bytes.count, bytes[position] == UInt8(ascii: "/"), bytes[position + 1] == UInt8(ascii: "/") {
            let start = position + 2
            position = end(of: bytes, from: start, at: [.slash, .question, .hash], &hasEscapes)
            authority = start..<position
        } else {
            authority = nil
        }
        pathEnd = end(of: bytes, from: position, at: [.question, .hash], &hasEscapes)
        fragmentStart = end(of: bytes, from: pathEnd, at: .hash, &hasEscapes)
        position = end(of: bytes, from: fragmentStart, at: [], &hasEscapes)
        guard position == bytes.count else { throw ActionURLError(.rawControl, at: position) }
        guard hasEscapes, escapes, let offset = offsetOfBadEscape(in: bytes) else { return }
        throw ActionURLError(.badEscape, at: offset)
    }
}

/// Returns the position of the first byte of one of the classes, of the first control character, or the end.
private func end(
    of bytes: Span<UInt8>, from start: Int, at stops: ByteClass, _ hasEscapes: inout Bool
) -> Int {
    let special = stops.union([.control, .percent])
    var position = start
    while position < bytes.count {
        let byteClass = ByteClass(bytes[position])
        if !byteClass.isDisjoint(with: special) {
            guard byteClass == .percent else { break }
            hasEscapes = true
        }
        position += 1
    }
    return position
}

/// The part of a URL between `//` and the path (RFC 3986, section 3.2), if all parsers read it alike.
struct URLAuthority {
    /// The maximum length of a host: no name is longer.
    private static let hostLimit = 255

    /// The user name, without a password; empty without a user.
    let user: Range<Int>
    /// The password; empty without one.
    let password: Range<Int>
    /// The host, with its brackets if it is an address of IPv6.
    let host: Range<Int>
    /// The digits of the port, without leading zeros; empty without a port.
    let port: Range<Int>

    /// Finds the parts of an authority.
    ///
    /// - Parameters:
    ///   - url: The bytes of the URL.
    ///   - range: The range of the authority; not empty.
    /// - Throws: ``ActionURLError`` if there is no host, or if parsers disagree about it.
    init(_ url: Span<UInt8>, _ range: Range<Int>) throws(ActionURLError) {
        var start = range.lowerBound
        if let at = url.firstIndex(of: UInt8(ascii: "@"), in: range) {
            if let other = url.firstIndex(of: UInt8(ascii: "@"), in: at + 1..<range.upperBound) {
                throw ActionURLError(.ambiguousHost, at: other)
            }
            start = at + 1
        }
        let userInfo = range.lowerBound..<max(range.lowerBound, start - 1)
        user = userInfo.lowerBound..<(url.firstIndex(of: UInt8(ascii: ":"), in: userInfo) ?? userInfo.upperBound)
        password = userInfo.suffix(from: min(user.upperBound + 1, userInfo.upperBound))
        let isAddress = start < range.upperBound && url[start] == UInt8(ascii: "[")
        let bracket = isAddress ? url.firstIndex(of: UInt8(ascii: "]"), in: start..<range.upperBound) : start
        guard let bracket else { throw ActionURLError(.ambiguousHost, at: start) }
        let colon = url.firstIndex(of: UInt8(ascii: ":"), in: bracket..<range.upperBound)
        host = start..<(colon ?? range.upperBound)
        port = try Self.port(url, (colon.map { $0 + 1 } ?? range.upperBound)..<range.upperBound)
        if host.isEmpty { throw ActionURLError(.missingHost, at: start) }
        if host.count > Self.hostLimit { throw ActionURLError(.ambiguousHost, at: start) }
        for index in userInfo where isBracket(url[index]) { throw ActionURLError(.ambiguousHost, at: index) }
        if isAddress, address(url.extracting(host)) == nil { throw ActionURLError(.ambiguousHost, at: start) }
        for index in host where !isAddress && !isHostByte(url[index]) {
            throw ActionURLError(.ambiguousHost, at: index)
        }
    }

    private static func port(_ url: Span<UInt8>, _ range: Range<Int>) throws(ActionURLError) -> Range<Int> {
        var start = range.lowerBound
        while start < range.upperBound - 1, url[start] == UInt8(ascii: "0") { start += 1 }
        var number = 0
        for index in start..<range.upperBound {
            guard isDigit(url[index]) else { throw ActionURLError(.ambiguousHost, at: index) }
            number = number * 10 + Int(url[index] - UInt8(ascii: "0"))
            if number > UInt16.max { throw ActionURLError(.ambiguousHost, at: range.lowerBound) }
        }
        return start..<range.upperBound
    }

    /// Checks the rules for hosts of web sites, which browsers convert before they use them.
    func checkWebHost(_ url: Span<UInt8>) throws(ActionURLError) {
        for index in host where url[index] == UInt8(ascii: "%") { throw ActionURLError(.ambiguousHost, at: index) }
        let text = String(utf8: url.extracting(host)).lowercased()
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last, last.isNumber else { return }
        let areDecimal = labels.allSatisfy { label in
            UInt8(label).map { "\($0)" == label } ?? false
        }
        if labels.count != 4 || !areDecimal { throw ActionURLError(.ambiguousHost, at: host.lowerBound) }
    }
}

/// Returns a host in the form that is compared: in lower case, an address in its shortest form, without a final dot.
///
/// - Returns: The host; empty if only a dot is left.
package func comparableHost(_ host: Span<UInt8>) -> [UInt8] {
    if let address = address(host) { return address }
    var bytes = host.withUnsafeBufferPointer { $0.map(asciiLowercase) }
    if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
    return bytes
}

/// Returns an address of IPv6 in brackets in its shortest form; nil for any other text.
private func address(_ host: Span<UInt8>) -> [UInt8]? {
    guard host.count > 2, host[0] == UInt8(ascii: "["), host[host.count - 1] == UInt8(ascii: "]") else { return nil }
    var address = in6_addr()
    guard inet_pton(AF_INET6, String(utf8: host.extracting(1..<host.count - 1)), &address) == 1 else { return nil }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else { return nil }
    return [UInt8(ascii: "[")] + text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) } + [UInt8(ascii: "]")]
}

private func isBracket(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") }

/// Whether no parser rejects the byte in a host, or gives it a meaning.
private func isHostByte(_ byte: UInt8) -> Bool { !isBracket(byte) && !"<>^|".utf8.contains(byte) }

extension Substring {
    /// Whether browsers read the last label of a host as a number, so that the host is an address.
    fileprivate var isNumber: Bool {
        let digits = hasPrefix("0x") ? dropFirst(2) : self
        let isHexadecimal = digits.startIndex > startIndex
        return (isHexadecimal || !isEmpty)
            && digits.utf8.allSatisfy { isDigit($0) || isHexadecimal && UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 }
    }
}

extension Span<UInt8> {
    /// The position of a byte in a range; nil if it is not there.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        for index in range where self[index] == byte { return index }
        return nil
    }
}
