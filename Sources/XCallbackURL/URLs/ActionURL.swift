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
    }

    /// Facts that the parser finds in a URL, in addition to lists.
    @usableFromInline
    package struct Facts: Sendable {
        /// Whether the first segment is the host.
        @usableFromInline package internal(set) var hostIsSegment = false
        /// The syntax of the scheme.
        var syntax = URLSyntax.callback
        /// Whether items are hidden.
        var hidesSomething = false
        // Small, because the URL is passed on with its request; lines are far shorter than 4 GiB.
        @usableFromInline package internal(set) var schemeLength: UInt32 = 0
        /// Zero, where no host can start, if there is none.
        @usableFromInline package internal(set) var oddHostPosition: UInt32 = 0
        /// The values of `x-source`, `x-success`, `x-error` and `x-cancel` in the storage.
        @usableFromInline package internal(set) var protocolValues = Self.noValues

        /// The ranges of missing items; an existing value comes after the scheme.
        private static var noValues: InlineArray<4, ByteRange> { InlineArray(repeating: ByteRange(0..<0)) }

        init() {}

        /// Drops the protocol items.
        mutating func forgetCallbacks() {
            protocolValues = Self.noValues
        }
    }

    /// The received bytes, followed by the decoded form of each part that differs from its received form.
    @usableFromInline package internal(set) var storage = ByteBuffer()
    /// The number of received bytes in the storage.
    @inlinable package var receivedCount: Int { Int(receivedLength) }
    /// The scheme as received.
    @inlinable package var schemeRange: Range<Int> { 0..<Int(facts.schemeLength) }
    /// The decoded segments of the action in the storage, including the host if it is the first segment.
    @usableFromInline package internal(set) var segmentRanges: [Range<Int>] = []
    /// Whether the first segment is the host.
    @inlinable package var hostIsSegment: Bool { facts.hostIsSegment }
    /// The position of a host that is not a plain name (a user name, a port, an address in brackets); nil without one.
    @inlinable package var oddHostOffset: Int? { facts.oddHostPosition == 0 ? nil : Int(facts.oddHostPosition) }
    /// The query items in the storage, except those of the protocol.
    @usableFromInline package internal(set) var entries: [QueryItems.Entry] = []

    /// The end of each segment that only wildcards match, by its start; only in syntax `url`.
    var rawSegmentEnds: [Int: Int] = [:]
    @usableFromInline package internal(set) var facts = Facts()
    @usableFromInline package internal(set) var receivedLength: UInt32 = 0

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
        return range.isAbsent ? nil : range.range
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
