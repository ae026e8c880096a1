/// A method call, in the message that contained it.
package struct VarlinkCall: Hashable, Sendable {
    /// The number of replies that a call requests.
    package enum Mode: Hashable, Sendable {
        /// One reply.
        case once
        /// One or more replies: all but the last have `continues` set.
        case more
        /// No reply, not even an error.
        case oneway
    }

    /// The parameters of a call, in its message.
    enum Parameters: Hashable, Sendable {
        /// No parameters.
        case none
        /// The value with an index in the message's layout.
        case value(Int)
        /// A single string, with the ranges of its name and itself; the message was not parsed as JSON.
        case loneText(name: Range<Int>, Range<Int>)
    }

    /// The index of the service's interface, starting at 0, without `org.varlink.service`.
    package let interface: Int
    /// The index of the method among those that the service has for the interface, starting at 0.
    package let method: Int
    /// The number of replies that the call requests.
    package let mode: Mode
    /// The range of the message in the input.
    package let frame: Range<Int>
    let parameters: Parameters

    /// Returns the parameters, which match the method's description.
    ///
    /// - Parameters:
    ///   - input: The input that contained the call.
    ///   - layout: The layout with which the call was read, unchanged since.
    /// - Returns: An object; empty without parameters.
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

    /// The range of the method's required string in the input, if the call has no other parameters and has the usual
    /// form; nil if parameters must be looked up.
    package var loneText: Range<Int>? {
        guard case .loneText(_, let text) = parameters else { return nil }
        return text.shifted(by: frame.lowerBound)
    }

    /// Returns the value of a parameter that is a string; nil if it is missing or null.
    ///
    /// - Parameters:
    ///   - name: The parameter.
    ///   - input: The input that contained the call.
    ///   - layout: The layout with which the call was read, unchanged since.
    /// - Returns: The range or the bytes of the string.
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

    /// Returns the index of a parameter's value in the layout.
    ///
    /// Also nil if the parameter is a string and the only one, because such a message needs no layout.
    ///
    /// - Parameters:
    ///   - name: The parameter.
    ///   - input: The input that contained the call.
    ///   - layout: The layout with which the call was read, unchanged since.
    /// - Returns: The index; nil if the parameter is missing.
    package func number(of name: StaticString, in input: Span<UInt8>, _ layout: JSONLayout) -> Int? {
        guard case .value(let object) = parameters else { return nil }
        return layout.value(named: name, of: object, in: input.extracting(frame))
    }

    /// Returns the value of a parameter that is a Boolean; nil if it is missing or null.
    ///
    /// - Parameters:
    ///   - name: The parameter.
    ///   - input: The input that contained the call.
    ///   - layout: The layout with which the call was read, unchanged since.
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
    /// The bytes in the input.
    case inPlace(Range<Int>)
    /// The decoded bytes, if they differ from the input.
    case decoded([UInt8])
}

/// The members of a call's message.
struct CallHeader {
    /// The index of the value that names the method.
    let method: Int
    /// The index of the parameters; nil if they are null or missing.
    let parameters: Int?
    let mode: VarlinkCall.Mode
    let isUpgrade: Bool

    /// Reads a message.
    ///
    /// - Throws: ``VarlinkFault`` if the message is not a call.
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
