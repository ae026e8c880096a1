public import XCallbackBytes

/// The URL of an action: `scheme://x-callback-url/action?name=value&x-success=…`.
///
/// The bytes are kept as they were received; everything else is a view of them. A part that holds escapes or is not
/// ASCII is decoded once, when the URL is parsed. Parsing into the same value again reuses its memory.
public struct ActionURL: Sendable {
    /// An item of the query that belongs to the protocol and never reaches a handler.
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

    /// What the parser finds in a URL, besides lists.
    @usableFromInline
    package struct Facts: Sendable {
        /// Whether the first segment is the host.
        @usableFromInline package internal(set) var hostIsSegment = false
        /// Whether items were taken out.
        var hidesSomething = false
        // Small, as the URL is handed on along with its request; lines are far below 4 GiB.
        @usableFromInline package internal(set) var schemeLength: UInt32 = 0
        /// Zero, where no host can start, if there is none.
        @usableFromInline package internal(set) var oddHostPosition: UInt32 = 0
        /// The values of `x-source`, `x-success`, `x-error` and `x-cancel` in the storage.
        @usableFromInline package internal(set) var protocolValues = Self.noValues

        /// The range of each item that is not there; a value that is there follows the scheme.
        private static var noValues: InlineArray<4, ByteRange> { InlineArray(repeating: ByteRange(0..<0)) }

        init() {}

        /// Forgets the items of the protocol.
        mutating func forgetCallbacks() {
            protocolValues = Self.noValues
        }
    }

    /// The received bytes, then the decoded form of each part whose decoded form differs.
    @usableFromInline package internal(set) var storage = ByteBuffer()
    /// How many bytes of the storage are the URL as received.
    @inlinable package var receivedCount: Int { Int(receivedLength) }
    /// The scheme, as received.
    @inlinable package var schemeRange: Range<Int> { 0..<Int(facts.schemeLength) }
    /// The decoded segments of the action in the storage, the host first where it is one.
    @usableFromInline package internal(set) var segmentRanges = ReusableArray<Range<Int>>()
    /// Whether the first segment is the host.
    @inlinable package var hostIsSegment: Bool { facts.hostIsSegment }
    /// Where a host starts that is no plain name (a user name, a port, an address in brackets), or nil.
    @inlinable package var oddHostOffset: Int? { facts.oddHostPosition == 0 ? nil : Int(facts.oddHostPosition) }
    /// The items of the query in the storage, all but those of the protocol.
    @usableFromInline package internal(set) var entries = ReusableArray<QueryItems.Entry>()

    @usableFromInline package internal(set) var facts = Facts()
    @usableFromInline package internal(set) var receivedLength: UInt32 = 0

    package init() {}

    /// Parses a URL.
    ///
    /// - Parameter text: The URL as it was received, for example from another program.
    /// - Throws: ``ActionURLError`` naming the first rule that the text breaks.
    public init(_ text: String) throws(ActionURLError) {
        try parse(Array(text.utf8).span)
        if let oddHostOffset { throw ActionURLError(.notAHostName, at: oddHostOffset) }
    }

    /// The URL, byte for byte as it was received, but for what a policy keeps secret.
    public var received: String { visibleText() }

    /// The scheme in lower case.
    public var scheme: String { String(utf8: storage.bytes.span.extracting(schemeRange)).lowercased() }

    /// The segments of the action, each decoded once.
    public var segments: [String] {
        segmentRanges.indices.map { String(utf8: storage.bytes.span.extracting(segmentRanges[$0])) }
    }

    /// The items of the query that are meant for the handler, in order.
    public var items: QueryItems { QueryItems(storage, entries) }

    /// The application that sent the URL, as it calls itself (`x-source`).
    public var source: String? { text(of: .source) }

    /// The URL to answer a success to (`x-success`).
    public var success: String? { text(of: .success) }

    /// The URL to answer an error to (`x-error`).
    public var error: String? { text(of: .error) }

    /// The URL to answer a cancel to (`x-cancel`).
    public var cancel: String? { text(of: .cancel) }

    /// Where the value of an item of the protocol lies in the storage; nil if the query does not have it.
    @inlinable
    package func range(of item: ProtocolItem) -> Range<Int>? {
        let range = facts.protocolValues[item.rawValue]
        return range.isAbsent ? nil : range.range
    }

    /// The items of the protocol that the query has: what another application needs to answer in this one's place.
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
    /// Whether two URLs were received as the same bytes.
    public static func == (first: ActionURL, second: ActionURL) -> Bool {
        first.storage.bytes[..<first.receivedCount] == second.storage.bytes[..<second.receivedCount]
    }

    /// Feeds the received bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(received)
    }
}
