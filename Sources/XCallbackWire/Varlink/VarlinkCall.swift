import XCallbackBytes

/// A method call.
package struct VarlinkCall {
    /// The number of replies that a call requests.
    package enum Mode: Hashable, Sendable {
        /// One reply.
        case once
        /// One or more replies: all but the last have `continues` set.
        case more
        /// No reply, not even an error.
        case oneway
    }

    /// The index of the method among those of the service.
    package let method: Int
    /// The number of replies that the call requests.
    package let mode: Mode
    /// The parameters, which are not checked yet.
    ///
    /// They share the memory of the message: the next message needs new memory if they are kept until then.
    package let parameters: VarlinkObject
}

/// The members of a call's message.
struct CallHeader {
    /// The range of the method's name.
    let method: Range<Int>
    let mode: VarlinkCall.Mode
    let isUpgrade: Bool
    /// The parameters; nil if they are not an object.
    let parameters: VarlinkObject?

    /// Reads a message.
    ///
    /// - Throws: ``VarlinkFault`` if the message is not a call.
    init(_ message: JSONDocument) throws(VarlinkFault) {
        guard message[0].kind == .object else { throw .notAnObject }
        let (wantsMore, isOneway): (Bool, Bool)
        do throws(VarlinkError) {
            let members = VarlinkObject(message, 0)
            try members.check(["method", "parameters", "more", "oneway", "upgrade"], allowsExtensions: true)
            method = try members.required("method").range()
            wantsMore = try members.optional("more")?.truth() ?? false
            isOneway = try members.optional("oneway")?.truth() ?? false
            isUpgrade = try members.optional("upgrade")?.truth() ?? false
            if let value = members.optional("parameters") {
                parameters = value.parameters
            } else {
                parameters = VarlinkObject(message, nil)
            }
        } catch {
            throw .badMember(error)
        }
        if wantsMore && isOneway || wantsMore && isUpgrade || isOneway && isUpgrade { throw .contradiction }
        mode = wantsMore ? .more : isOneway ? .oneway : .once
    }
}
