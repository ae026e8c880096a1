import XCallbackBytes

extension ActionURL {
    /// The action as a path that any URL can go on with: a `/` before each segment, or `/` alone if there is none.
    ///
    /// Every spelling of an action has this one text. Everything but unreserved characters is encoded, so that no other
    /// parser finds a host, a query, a fragment or another segment in it than the router has matched.
    package var canonicalAction: String {
        var output = ByteBuffer()
        output.write(atMost: canonicalActionRoom) { $0.write(canonicalActionOf: self) }
        return String(utf8: output.bytes.span.extracting(0..<output.count))
    }

    /// The query, without the items of the protocol and what is hidden; empty if nothing else is there.
    ///
    /// An item is byte for byte as it was received, except that bytes which RFC 3986, section 3.4, does not allow in a
    /// query are encoded. It is not encoded anew: a `+` means to the next reader what it meant to the sender.
    package var canonicalQuery: String {
        var output = ByteBuffer()
        output.write(atMost: canonicalQueryRoom) { $0.write(canonicalQueryOf: self) }
        return String(utf8: output.bytes.span.extracting(0..<output.count))
    }

    /// How many bytes the canonical action and the canonical query have at most.
    package var canonicalRoom: Int { canonicalActionRoom + canonicalQueryRoom }

    fileprivate var canonicalActionRoom: Int {
        segmentRanges.indices.reduce(1) { $0 + 1 + 3 * segmentRanges[$1].count }
    }

    fileprivate var canonicalQueryRoom: Int {
        entries.indices.reduce(0) { $0 + 2 + 3 * (entries[$1].encodedName.count + entries[$1].encodedValue.count) }
    }

    /// Drops the host if it is the first segment, where the scheme ignores hosts.
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
        // No input comes here: the caller reserves memory for all that is appended.
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

    /// Writes what is encoded already, and encodes the bytes that a query cannot hold.
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

/// Whether a byte may stand in a query (RFC 3986, section 3.4), as itself or as the beginning of an escape.
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
