import XCallbackJSON

/// The members of a message; those that are null count as absent, once it is known that none is there twice.
struct MessageHeader {
    /// A member that the protocol knows: first those of replies, last those of calls.
    enum Member: Int {
        case error, `continues`, parameters, method, more, oneway, upgrade

        static let ofReplies = Member.error.rawValue...Member.parameters.rawValue
        static let ofCalls = Member.parameters.rawValue...Member.upgrade.rawValue

        /// The name of each, in the order of the cases.
        static let names: InlineArray<7, StaticString> = [
            "error", "continues", "parameters", "method", "more", "oneway", "upgrade",
        ]
    }

    /// Which value of the message each member has; 0, the message itself, if it is not there.
    private var numbers: InlineArray<7, Int> = .init(repeating: 0)

    /// Finds the members of a message.
    ///
    /// - Parameters:
    ///   - layout: Where the values of the message lie.
    ///   - text: The message.
    ///   - allowed: The members that it may have, besides extensions.
    /// - Throws: ``VarlinkFault`` if it is no object of such members.
    @inline(__always)
    init(_ layout: JSONLayout, in text: Span<UInt8>, _ allowed: ClosedRange<Int>) throws(VarlinkFault) {
        guard layout[0].kind == .object else { throw .notAnObject }
        var seen = 0
        var hasOthers = false
        var name = 1
        while name < layout[0].next {
            if let member = Self.member(named: name, of: layout, in: text, allowed) {
                guard seen & 1 &<< member == 0 else { throw .repeatedMember(layout.text(name, in: text)) }
                seen |= 1 &<< member
                if layout[name + 1].kind != .null { numbers[member] = name + 1 }
            } else {
                try Self.checkOther(name, of: layout, in: text)
                hasOthers = true
            }
            name = layout[name + 1].next
        }
        if hasOthers { try Self.checkRepetition(of: layout, in: text) }
    }

    /// Checks a member that the protocol does not know: its name is a text, and it is null, or its name is that of an
    /// extension, which has the name of a domain.
    @inline(never)
    private static func checkOther(_ number: Int, of layout: JSONLayout, in text: Span<UInt8>) throws(VarlinkFault) {
        let name = layout.text(number, in: text)
        let mayBeThere = layout[number + 1].kind == .null || name.utf8.contains(UInt8(ascii: "."))
        guard mayBeThere, !layout[number].isBroken else { throw .unknownMember(name) }
    }

    /// Checks that no member is there twice, whatever it holds.
    @inline(never)
    private static func checkRepetition(of layout: JSONLayout, in text: Span<UInt8>) throws(VarlinkFault) {
        if let name = layout.repeatedName(in: 0, of: text) { throw .repeatedMember(layout.text(name, in: text)) }
    }

    /// The number of a member's value; nil if it is null or not there.
    @inline(__always)
    subscript(member: Member) -> Int? {
        numbers[member.rawValue] > 0 ? numbers[member.rawValue] : nil
    }

    /// Whether a member is true; false if it is not there.
    ///
    /// - Throws: ``VarlinkFault`` if it is neither true nor false.
    @inline(__always)
    func isTrue(_ member: Member, in layout: JSONLayout) throws(VarlinkFault) -> Bool {
        guard let number = self[member] else { return false }
        switch layout[number].kind {
        case .true: return true
        case .false: return false
        default: throw .badMember("\(Member.names[member.rawValue])")
        }
    }

    /// The member that a string names, if it may be there.
    @inline(__always)
    private static func member(
        named number: Int, of layout: JSONLayout, in text: Span<UInt8>, _ allowed: ClosedRange<Int>
    ) -> Int? {
        for member in allowed where layout.isText(number, Member.names[member], in: text) { return member }
        return nil
    }
}
