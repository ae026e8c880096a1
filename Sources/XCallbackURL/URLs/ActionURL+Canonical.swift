import XCallbackBytes

extension ActionURL {
    /// The action as a path that can be part of any URL: a `/` before each segment, or `/` alone without segments.
    ///
    /// All spellings of an action have the same canonical text. All but unreserved characters are encoded, so that
    /// other parsers find no host, query, fragment or segment in it that the router did not match.
    package var canonicalAction: String {
        var output = ByteBuffer()
        output.write(atMost: canonicalActionRoom) { $0.write(canonicalActionOf: self) }
        return String(utf8: output.bytes.span.extracting(0..<output.count))
    }

    /// The query without protocol items and hidden items; empty if there are no others.
    ///
    /// Items stay byte for byte as received, except that bytes not allowed by RFC 3986, section 3.4, are encoded. They
    /// are not re-encoded: a `+` has the same meaning for the next reader as for the sender.
    package var canonicalQuery: String {
        var output = ByteBuffer()
        output.write(atMost: canonicalQueryRoom) { $0.write(canonicalQueryOf: self) }
        return String(utf8: output.bytes.span.extracting(0..<output.count))
    }

    /// The maximum number of bytes of the canonical action and the canonical query.
    package var canonicalRoom: Int { canonicalActionRoom + canonicalQueryRoom }

    fileprivate var canonicalActionRoom: Int {
        segmentRanges.indices.reduce(1) { $0 + 1 + 3 * segmentRanges[$1].count }
    }

    fileprivate var canonicalQueryRoom: Int {
        entries.indices.reduce(0) { $0 + 2 + 3 * (entries[$1].encodedName.count + entries[$1].encodedValue.count) }
    }

    /// Drops the host if it is the first segment, for schemes that ignore hosts.
    @inline(never)
    package mutating func ignoreHost() {
        guard facts.hostIsSegment else { return }
        facts.hostIsSegment = false
        segmentRanges.removeFirst()
    }
}

extension OutputSpan<UInt8> {
    /// Appends the canonical action of a URL; see ``ActionURL/canonicalRoom``.
    package mutating func append(canonicalActionOf url: borrowing ActionURL) {
        write(atMost: url.canonicalActionRoom) { $0.write(canonicalActionOf: url) }
    }

    /// Appends the canonical query of a URL; see ``ActionURL/canonicalRoom``.
    package mutating func append(canonicalQueryOf url: borrowing ActionURL) {
        write(atMost: url.canonicalQueryRoom) { $0.write(canonicalQueryOf: url) }
    }

    private mutating func write(atMost room: Int, _ body: (inout ByteWriter) -> Void) {
        // Not reachable for any input: the caller reserves memory for all that is appended.
        precondition(room <= freeCapacity, "a text that there is no room for")
        withUnsafeMutableBufferPointer { memory, count in
            var writer = ByteWriter(memory, at: count)
            body(&writer)
            count = writer.end
        }
    }
}

extension ByteWriter {
    fileprivate mutating func write(canonicalActionOf url: borrowing ActionURL) {
        if url.segmentRanges.indices.isEmpty { return write(UInt8(ascii: "/")) }
        for index in url.segmentRanges.indices {
            write(UInt8(ascii: "/"))
            write(percentEncoding: url.storage.bytes.span.extracting(url.segmentRanges[index]))
        }
    }

    fileprivate mutating func write(canonicalQueryOf url: borrowing ActionURL) {
        let bytes = url.storage.bytes.span
        for index in url.entries.indices {
            let entry = url.entries[index]
            if index > 0 { write(UInt8(ascii: "&")) }
            write(escapingForQuery: bytes.extracting(entry.encodedName))
            guard entry.hasValue else { continue }
            write(UInt8(ascii: "="))
            write(escapingForQuery: bytes.extracting(entry.encodedValue))
        }
    }

    /// Writes text that is already encoded, and encodes the bytes that are not allowed in a query.
    private mutating func write(escapingForQuery text: Span<UInt8>) {
        for index in text.indices {
            if isQueryByte(text[index]) {
                write(text[index])
            } else {
                write(percentEncoding: text.extracting(index..<index + 1))
            }
        }
    }
}

/// Whether a byte is allowed in a query (RFC 3986, section 3.4), as itself or as the start of an escape.
private func isQueryByte(_ byte: UInt8) -> Bool {
    if isUnreserved(byte) { return true }
    switch byte {
    case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
        UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","),
        UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "/"),
        UInt8(ascii: "?"):
        return true
    default: return false
    }
}
