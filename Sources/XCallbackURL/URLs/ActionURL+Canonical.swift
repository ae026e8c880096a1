import XCallbackBytes

extension ActionURL {
    /// The action as a path that can be part of any URL: a `/` before each segment, or `/` alone without segments.
    ///
    /// All spellings of an action have the same canonical text. All but unreserved characters are encoded, so that
    /// other parsers find no host, query, fragment or segment in it that the router did not match. In syntax `url`, a host
    /// stands before the path, after `//`. In syntax `text`, it is the text as received, with the same exception as in
    /// ``canonicalQuery``.
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

    fileprivate var canonicalActionRoom: Int {
        if syntax != .callback { return 4 * storage.count + 4 }
        return segmentRanges.indices.reduce(1) { $0 + 1 + 3 * segmentRanges[$1].count }
    }

    fileprivate var canonicalQueryRoom: Int {
        entries.indices.reduce(0) { $0 + 2 + 3 * (entries[$1].encodedName.count + entries[$1].encodedValue.count) }
    }

    /// Replaces the first segment of an action, which was a host, with another spelling.
    package mutating func replaceHost(with spelling: Span<UInt8>) {
        let start = storage.count
        storage.append(spelling)
        segmentRanges[0] = start..<storage.count
    }

    /// Drops the host if it is the first segment, for schemes that ignore hosts.
    @inline(never)
    package mutating func ignoreHost() {
        guard facts.hostIsSegment else { return }
        facts.hostIsSegment = false
        segmentRanges.removeFirst()
    }
}

extension ByteWriter {
    fileprivate mutating func write(canonicalActionOf url: borrowing ActionURL) {
        if url.syntax != .callback { return write(otherActionOf: url) }
        if url.segmentRanges.indices.isEmpty { return write(UInt8(ascii: "/")) }
        for index in url.segmentRanges.indices {
            write(UInt8(ascii: "/"))
            write(percentEncoding: url.storage.bytes.span.extracting(url.segmentRanges[index]))
        }
    }

    private mutating func write(otherActionOf url: borrowing ActionURL) {
        let bytes = url.storage.bytes.span
        guard url.syntax == .url else {
            for range in url.segmentRanges { write(escapingForQuery: bytes.extracting(range)) }
            return
        }
        let hasHost = url.segmentRanges[0].count == 2
        write(UInt8(ascii: "/"))
        if !hasHost, url.segmentRanges.count == 1 { return }
        for (index, range) in url.segmentRanges.enumerated().dropFirst() {
            if index > 1 || hasHost { write(UInt8(ascii: "/")) }
            if index == 1, hasHost {
                write(escapingForQuery: bytes.extracting(range))
            } else {
                write(percentEncoding: bytes.extracting(url.wholeRange(range)))
            }
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
