public import XCallbackWire

/// The URL of an action: `scheme://x-callback-url/action?name=value&x-success=…`.
///
/// The received bytes are kept; all other properties are views of them. A part with escapes or non-ASCII
/// characters is decoded once, when the URL is parsed. Parsing into the same value again reuses its memory.
public struct ActionURL: Sendable {
    /// A query item that belongs to the protocol and never reaches a handler.
    @usableFromInline
    package enum ProtocolItem: Int, CaseIterable, Sendable {
        case source, success, error, cancel

        /// The name in the query.
        package var name: String {
            switch self {
            case .source: "x-source"
            case .success: "x-success"
            case .error: "x-error"
            case .cancel: "x-cancel"
            }
        }

        /// Creates the item with a decoded name; only lowercase names have an effect.
        init?(name: Span<UInt8>) {
            if areEqual(name, "x-source") {
                self = .source
            } else if areEqual(name, "x-success") {
                self = .success
            } else if areEqual(name, "x-error") {
                self = .error
            } else if areEqual(name, "x-cancel") {
                self = .cancel
            } else {
                return nil
            }
        }
    }

    /// Facts that the parser finds in a URL, in addition to lists.
    @usableFromInline
    package struct URLFacts: Sendable {
        /// Whether the first segment is the host.
        @usableFromInline package internal(set) var hostIsSegment = false
        /// The syntax of the scheme.
        var syntax = URLSyntax.callback
        /// Whether items are hidden.
        var hidesSomething = false
        /// Whether the authority has a password.
        var hasPassword = false
        @usableFromInline package internal(set) var schemeLength = 0
        @usableFromInline package internal(set) var oddHostOffset: Int?
        /// The values of `x-source`, `x-success`, `x-error` and `x-cancel` in the storage.
        @usableFromInline package internal(set) var protocolValues = Self.noValues

        /// The ranges of missing items; an existing value comes after the scheme.
        static var noValues: InlineArray<4, Range<Int>> { InlineArray(repeating: 0..<0) }
    }

    /// The received bytes, followed by the decoded form of each part that differs from its received form.
    @usableFromInline package internal(set) var storage = ByteBuffer()
    /// The number of received bytes in the storage.
    @usableFromInline package internal(set) var receivedCount = 0
    /// The scheme as received.
    @inlinable package var schemeRange: Range<Int> { 0..<facts.schemeLength }
    /// The decoded segments of the action in the storage, including the host if it is the first segment.
    @usableFromInline package internal(set) var segmentRanges: [Range<Int>] = []
    /// Whether the first segment is the host.
    @inlinable package var hostIsSegment: Bool { facts.hostIsSegment }
    /// The position of a host that is not a plain name (a user name, a port, an address in brackets); nil without one.
    @inlinable package var oddHostOffset: Int? { facts.oddHostOffset }
    /// The query items in the storage, except those of the protocol.
    @usableFromInline package internal(set) var entries: [QueryItems.Entry] = []

    /// The end of each segment that only wildcards match, by its start; only in syntax `url`.
    var rawSegmentEnds: [Int: Int] = [:]
    @usableFromInline package internal(set) var facts = URLFacts()

    package init() {}

    /// Parses a URL.
    ///
    /// - Parameter text: The URL as received, for example from another program.
    /// - Throws: ``ActionURLError`` for the first violated rule.
    public init(_ text: String) throws(ActionURLError) {
        try parse(Array(text.utf8).span)
        if let oddHostOffset { throw ActionURLError(.notAHostName, at: oddHostOffset) }
    }

    /// The URL byte for byte as received, without values that a policy keeps secret.
    public var received: String { visibleText() }

    /// The scheme in lowercase.
    public var scheme: String { String(utf8: storage.bytes.span.extracting(schemeRange)).lowercased() }

    /// The segments of the action, each decoded once; in syntax `url` the host, if there is one, then the path, and in
    /// syntax `text` the whole text.
    public var segments: [String] { syntax == .url ? Array(matchedSegments.dropFirst()) : matchedSegments }

    /// The segments that are matched; in syntax `url` the first one says whether there is a host.
    package var matchedSegments: [String] {
        segmentRanges.map { String(utf8: storage.bytes.span.extracting(wholeRange($0))) }
    }

    /// The query items for the handler, in order.
    public var items: QueryItems { QueryItems(storage, entries) }

    /// The name of the application that sent the URL, as set by the application (`x-source`).
    public var source: String? { text(of: .source) }

    /// The callback for a success (`x-success`).
    public var success: String? { text(of: .success) }

    /// The callback for an error (`x-error`).
    public var error: String? { text(of: .error) }

    /// The callback for a cancellation (`x-cancel`).
    public var cancel: String? { text(of: .cancel) }

    /// Returns the range of a protocol item's value in the storage; nil if the query does not contain the item.
    @inlinable
    package func range(of item: ProtocolItem) -> Range<Int>? {
        let range = facts.protocolValues[item.rawValue]
        return range.upperBound == 0 ? nil : range
    }

    /// The protocol items of the query, with which another application can answer in place of this one.
    package var protocolItems: QueryItems {
        var items = QueryItems()
        for item in ProtocolItem.allCases {
            guard let range = range(of: item) else { continue }
            items.append(name: Array(item.name.utf8).span, value: storage.bytes.span.extracting(range))
        }
        return items
    }

    private func text(of item: ProtocolItem) -> String? {
        range(of: item).map { String(utf8: storage.bytes.span.extracting($0)) }
    }
}

extension ActionURL {
    /// Creates the URL of an action.
    ///
    /// All but unreserved characters are encoded, so that each segment, name and value is decoded unchanged. Callbacks
    /// are given as items named `x-success`, `x-error` and `x-cancel`.
    ///
    /// - Parameters:
    ///   - scheme: The scheme of the application.
    ///   - segments: The segments of the action; no segment may be empty, `.` or `..`.
    ///   - items: The query, in order.
    /// - Throws: ``ActionURLError`` if the scheme or a segment is invalid, or if a protocol item repeats.
    public init(scheme: String, segments: [String], items: QueryItems = QueryItems()) throws(ActionURLError) {
        var bytes = ByteBuffer()
        bytes.append(scheme.utf8.span)
        // Any other character in a scheme could turn the action into part of a path or query.
        guard !bytes.isEmpty, (0..<bytes.count).allSatisfy({ isSchemeByte(bytes.bytes[$0], isFirst: $0 == 0) }) else {
            throw ActionURLError(.missingScheme, at: 0)
        }
        bytes.append("://x-callback-url".utf8.span)
        for segment in segments {
            bytes.append(UInt8(ascii: "/"))
            bytes.append(percentEncoding: segment.utf8.span)
        }
        // The trailing slash of `/a/` would hide an empty last segment.
        if segments.last == "" { throw ActionURLError(.emptySegment, at: bytes.count) }
        let callback = try Callback(bytes: bytes.contents)
        var url = ByteBuffer()
        url.append(callback: callback.bytes.span, callback.layout, adding: items)
        try parse(url.contents.span, maximumItems: Int.max)
    }

    /// Keeps only the `x-error` of a URL with a fault elsewhere, so that the fault can be reported there.
    ///
    /// Only the query is parsed; an item that cannot be decoded is skipped. A repeated `x-error` is ignored.
    package mutating func keepOnlyErrorCallback(of input: Span<UInt8>) {
        keepNoCallback()
        guard let callback = Self.errorCallback(ofFaulty: input) else { return }
        let start = storage.count
        storage.append(callback.span)
        facts.protocolValues[ProtocolItem.error.rawValue] = start..<storage.count
    }

    /// Drops the callbacks of a URL with a fault.
    package mutating func keepNoCallback() {
        facts.protocolValues = URLFacts.noValues
    }

    /// Returns the decoded value of the only `x-error`, empty if it cannot be decoded; nil if there is none or more than one.
    private static func errorCallback(ofFaulty input: Span<UInt8>) -> [UInt8]? {
        guard let colon = endOfScheme(in: input) else { return nil }
        let url = input.extracting(
            0..<(input.firstIndex(of: UInt8(ascii: "#"), in: colon..<input.count) ?? input.count))
        var start = url.firstIndex(of: UInt8(ascii: "?"), in: colon..<url.count).map { $0 + 1 } ?? url.count
        var found: [UInt8]?
        while start < url.count {
            let piece = QueryPiece(of: url, from: start)
            start = piece.end + 1
            guard let name = percentDecoded(url.extracting(piece.name)), areEqual(name.span, "x-error") else {
                continue
            }
            guard found == nil else { return nil }
            found = percentDecoded(url.extracting(piece.value)) ?? []
        }
        return found
    }

    /// The action as a path that can be part of any URL: a `/` before each segment, or `/` alone without segments.
    ///
    /// All spellings of an action have the same canonical text. All but unreserved characters are encoded, so that
    /// other parsers find no host, query, fragment or segment in it that the router did not match. In syntax `url`, a host
    /// stands before the path, after `//`. In syntax `text`, it is the text as received, with the same exception as in
    /// ``canonicalQuery``.
    package var canonicalAction: String {
        var output = ByteBuffer()
        let bytes = storage.bytes.span
        switch syntax {
        case .text:
            for range in segmentRanges { output.append(escapingForQuery: bytes.extracting(range)) }
        case .callback:
            if segmentRanges.isEmpty { output.append(UInt8(ascii: "/")) }
            for range in segmentRanges { output.append(segment: bytes.extracting(range)) }
        case .url:
            let hasHost = segmentRanges[0].count == 2
            if hasHost || segmentRanges.count == 1 { output.append(UInt8(ascii: "/")) }
            if hasHost {
                output.append(UInt8(ascii: "/"))
                output.append(escapingForQuery: bytes.extracting(wholeRange(segmentRanges[1])))
            }
            for range in segmentRanges.dropFirst(hasHost ? 2 : 1) {
                output.append(segment: bytes.extracting(wholeRange(range)))
            }
        }
        return String(utf8: output.bytes.span.extracting(0..<output.count))
    }

    /// The query without protocol items and hidden items; empty if there are no others.
    ///
    /// Items stay byte for byte as received, except that bytes not allowed by RFC 3986, section 3.4, are encoded. They
    /// are not re-encoded: a `+` has the same meaning for the next reader as for the sender.
    package var canonicalQuery: String {
        var output = ByteBuffer()
        let bytes = storage.bytes.span
        for (index, entry) in entries.enumerated() {
            if index > 0 { output.append(UInt8(ascii: "&")) }
            output.append(escapingForQuery: bytes.extracting(entry.encodedName))
            guard entry.hasValue else { continue }
            output.append(UInt8(ascii: "="))
            output.append(escapingForQuery: bytes.extracting(entry.encodedValue))
        }
        return String(utf8: output.bytes.span.extracting(0..<output.count))
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

    /// Removes all items whose names satisfy a condition from the URL, so that their values are not visible anywhere.
    ///
    /// All other parts keep their positions in the storage: hidden bytes become NULs, which no received URL contains,
    /// and ``received`` skips them.
    ///
    /// - Parameter isHidden: The condition for the decoded name.
    package mutating func hideItems(where isHidden: (Span<UInt8>) -> Bool) {
        let all = entries
        let areHidden = all.map { isHidden(storage.bytes.span.extracting($0.name)) }
        guard areHidden.contains(true) else { return }
        facts.hidesSomething = true
        entries.removeAll()
        for (entry, isHidden) in zip(all, areHidden) { if isHidden { hide(entry) } else { entries.append(entry) } }
    }

    /// Whether any item is hidden.
    package var hidesSomething: Bool { facts.hidesSomething }

    /// Returns the received text without hidden items.
    func visibleText() -> String {
        guard hidesSomething else { return String(utf8: storage.bytes.span.extracting(0..<receivedCount)) }
        return String(decoding: storage.bytes[..<receivedCount].filter { $0 != 0 }, as: UTF8.self)
    }

    private mutating func hide(_ entry: QueryItems.Entry) {
        let end = entry.hasValue ? entry.encodedValue.upperBound : entry.encodedName.upperBound
        erase(entry.encodedName.lowerBound..<end)
        erase(entry.name)
        if entry.hasValue { erase(entry.value) }
        // One of the adjacent separators is hidden too, so that the rest is still a valid query.
        if end < receivedCount, storage.bytes[end] == UInt8(ascii: "&") {
            storage.bytes[end] = 0
        } else if let mark = storage.bytes[..<entry.encodedName.lowerBound].lastIndex(where: { $0 != 0 }) {
            storage.bytes[mark] = 0
        }
    }

    private mutating func erase(_ range: Range<Int>) {
        for index in range { storage.bytes[index] = 0 }
    }
}

extension ActionURL: Hashable {
    /// Whether the received bytes of two URLs are equal.
    public static func == (first: ActionURL, second: ActionURL) -> Bool {
        first.storage.bytes[..<first.receivedCount] == second.storage.bytes[..<second.receivedCount]
    }

    /// Hashes the received bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(received)
    }
}

extension ByteBuffer {
    /// Appends a slash and a decoded segment.
    fileprivate mutating func append(segment: Span<UInt8>) {
        append(UInt8(ascii: "/"))
        append(percentEncoding: segment)
    }

    /// Appends text that is already encoded, and encodes the bytes that are not allowed in a query.
    fileprivate mutating func append(escapingForQuery text: Span<UInt8>) {
        for index in text.indices {
            if isQueryByte(text[index]) {
                append(text[index])
            } else {
                append(percentEncoding: text.extracting(index..<index + 1))
            }
        }
    }
}

/// Whether a byte is allowed in a query (RFC 3986, section 3.4), as itself or as the start of an escape.
func isQueryByte(_ byte: UInt8) -> Bool {
    isUnreserved(byte) || "!$%&'()*+,;=:@/?".utf8.contains(byte)
}

extension ActionURL: CustomStringConvertible, CustomReflectable {
    /// The URL as received, without values that a policy keeps secret.
    public var description: String { received }

    /// The URL as received, without values that a policy keeps secret.
    public var customMirror: Mirror { Mirror(self, children: ["received": received]) }
}

/// How the URLs of a scheme are read.
public enum URLSyntax: String, Hashable, Sendable, CaseIterable {
    /// An action with parameters and callbacks, after x-callback-url.com.
    case callback
    /// A URL that another specification defines, with a host, a path, a query and a fragment: `ssh://ann@host:22`.
    case url
    /// Text that only the handler reads: `mpv:https://host/x?a=b#c`.
    case text
}
