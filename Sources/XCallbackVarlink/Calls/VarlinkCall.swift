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

    /// The parameters of a call, in its message.
    enum Parameters: Hashable, Sendable {
        /// There are none.
        case none
        /// The value with a number in the message's layout.
        case value(Int)
        /// One text, with where its name and itself stand; the message was not read as JSON.
        case loneText(name: Range<Int>, Range<Int>)
    }

    /// Which interface of the service, from 0, without `org.varlink.service`.
    package let interface: Int
    /// Which of the methods that the service has for the interface, from 0.
    package let method: Int
    /// How many replies it asks for.
    package let mode: Mode
    /// Where the message stands in the input.
    package let frame: Range<Int>
    let parameters: Parameters

    /// The parameters, which are what the description of the method says.
    ///
    /// - Parameters:
    ///   - input: The input that the call came from.
    ///   - layout: The layout that was used to read it, and for nothing since.
    /// - Returns: An object; an empty one if there are none.
    package func parameters(in input: Span<UInt8>, _ layout: JSONLayout) -> JSONValue {
        let message = input.extracting(frame)
        switch parameters {
        case .none: return [:]
        case .value(let number): return layout.value(number, in: message)
        case .loneText(let name, let text):
            return .object([
                JSONValue.Member(
                    String(copying: message.extracting(name)), .string(String(copying: message.extracting(text))))
            ])
        }
    }

    /// Where the text stands in the input that the method cannot do without, if the call has nothing else and says so
    /// in the usual form; nil if parameters have to be looked up.
    package var loneText: Range<Int>? {
        guard case .loneText(_, let text) = parameters else { return nil }
        return text.shifted(by: frame.lowerBound)
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
        let message = input.extracting(frame)
        switch parameters {
        case .none: return nil
        case .loneText(let ownName, let text):
            return message.extracting(ownName).isText(name) ? .inPlace(text.shifted(by: frame.lowerBound)) : nil
        case .value(let object):
            guard let number = layout.value(named: name, of: object, in: message), layout[number].kind == .string
            else { return nil }
            guard layout[number].isPlain else { return .decoded(layout.string(number, in: message)) }
            return .inPlace(layout[number].range.shifted(by: frame.lowerBound))
        }
    }

    /// The number that the value of a parameter has in the layout.
    ///
    /// It is nil, too, if the parameter is a text and the only one, as such a message needs no layout.
    ///
    /// - Parameters:
    ///   - name: The parameter.
    ///   - input: The input that the call came from.
    ///   - layout: The layout that was used to read it, and for nothing since.
    /// - Returns: The number; nil if it is not there.
    package func number(of name: StaticString, in input: Span<UInt8>, _ layout: JSONLayout) -> Int? {
        guard case .value(let object) = parameters else { return nil }
        return layout.value(named: name, of: object, in: input.extracting(frame))
    }

    /// The value of a parameter that is true or false; nil if it is not there, or null.
    ///
    /// - Parameters:
    ///   - name: The parameter.
    ///   - input: The input that the call came from.
    ///   - layout: The layout that was used to read it, and for nothing since.
    /// - Returns: The value.
    package func truth(of name: StaticString, in input: Span<UInt8>, _ layout: JSONLayout) -> Bool? {
        guard let number = number(of: name, in: input, layout) else { return nil }
        switch layout[number].kind {
        case .true: return true
        case .false: return false
        default: return nil
        }
    }
}

extension Range<Int> {
    fileprivate func shifted(by distance: Int) -> Range { lowerBound + distance..<upperBound + distance }
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
