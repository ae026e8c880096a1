package import XCallbackJSON

/// A call of a method, in the message that it came with.
package struct VarlinkCall: Hashable, Sendable {
    /// How many replies a call asks for.
    package enum Mode: Hashable, Sendable {
        /// One.
        case once
        /// One or more: all but the last say that others follow.
        case more
        /// None at all, not even an error.
        case oneway
    }

    /// Which interface of the service, from 0, without `org.varlink.service`.
    package let interface: Int
    /// Which of the methods that the service has for the interface, from 0.
    package let method: Int
    /// How many replies it asks for.
    package let mode: Mode
    /// Where the message stands in the input.
    package let frame: Range<Int>
    /// Which value of the message the parameters are; nil if there are none.
    package let parametersNumber: Int?

    /// The parameters, which are what the description of the method says.
    ///
    /// - Parameters:
    ///   - input: The input that the call came from.
    ///   - layout: The layout that was used to read it, and for nothing since.
    /// - Returns: An object; an empty one if there are none.
    package func parameters(in input: Span<UInt8>, _ layout: JSONLayout) -> JSONValue {
        guard let parametersNumber else { return [:] }
        return layout.value(parametersNumber, in: input.extracting(frame))
    }

    /// The value of a parameter that is a string; nil if it is not there, or null.
    ///
    /// - Parameters:
    ///   - name: The parameter.
    ///   - input: The input that the call came from.
    ///   - layout: The layout that was used to read it, and for nothing since.
    /// - Returns: Where its bytes are.
    package func string(
        of name: StaticString, in input: Span<UInt8>, _ layout: JSONLayout
    ) -> VarlinkString? {
        let text = input.extracting(frame)
        guard let parametersNumber, let number = layout.value(named: name, of: parametersNumber, in: text),
            layout[number].kind == .string
        else { return nil }
        guard layout[number].isPlain else { return .decoded(layout.string(number, in: text)) }
        let range = layout[number].range
        return .inPlace(frame.lowerBound + range.lowerBound..<frame.lowerBound + range.upperBound)
    }

    /// The value of a parameter that is true or false; nil if it is not there, or null.
    ///
    /// - Parameters:
    ///   - name: The parameter.
    ///   - input: The input that the call came from.
    ///   - layout: The layout that was used to read it, and for nothing since.
    /// - Returns: The value.
    package func truth(of name: StaticString, in input: Span<UInt8>, _ layout: JSONLayout) -> Bool? {
        guard let parametersNumber,
            let number = layout.value(named: name, of: parametersNumber, in: input.extracting(frame))
        else { return nil }
        switch layout[number].kind {
        case .true: return true
        case .false: return false
        default: return nil
        }
    }
}

/// The bytes of a string in a message.
package enum VarlinkString: Hashable, Sendable {
    /// They stand in the input.
    case inPlace(Range<Int>)
    /// They are written in another way in the input.
    case decoded([UInt8])
}

/// The members of a call's message.
struct CallHeader {
    /// Which value of the message names the method.
    let method: Int
    /// Which value the parameters are; nil if they are null or not there.
    let parameters: Int?
    let mode: VarlinkCall.Mode
    let isUpgrade: Bool

    /// Reads a message.
    ///
    /// - Throws: ``VarlinkFault`` if it is no call.
    init(_ layout: JSONLayout, in text: Span<UInt8>) throws(VarlinkFault) {
        let header = try MessageHeader(layout, in: text, MessageHeader.Member.ofCalls)
        guard let method = header[.method] else { throw .noMethod }
        guard layout[method].kind == .string, !layout[method].isBroken else { throw .badMember("method") }
        self.method = method
        parameters = header[.parameters]
        let wantsMore = try header.isTrue(.more, in: layout)
        let isOneway = try header.isTrue(.oneway, in: layout)
        isUpgrade = try header.isTrue(.upgrade, in: layout)
        if wantsMore && isOneway || wantsMore && isUpgrade || isOneway && isUpgrade { throw .contradiction }
        mode = wantsMore ? .more : isOneway ? .oneway : .once
    }
}
