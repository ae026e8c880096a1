package import XCallbackPipeline
import XCallbackURL
package import XCallbackWire

extension Request {
    /// Appends the request in the form that programs read: the members of an object, without its braces.
    ///
    /// They are written without a `JSONValue`, because every request to a receiver needs them.
    ///
    /// - Parameters:
    ///   - kinds: The declarations of the parameters.
    ///   - bytes: The buffer to append to.
    package func appendMembers(_ kinds: ParameterKinds, to bytes: inout [UInt8]) {
        // Not with '??', which would copy the URL.
        if let receivedURL {
            appendMembers(kinds, received: receivedURL, to: &bytes)
        } else {
            appendMembers(kinds, received: url, to: &bytes)
        }
    }

    private func appendMembers(_ kinds: ParameterKinds, received: borrowing ActionURL, to bytes: inout [UInt8]) {
        let (route, action, query) = (matchedRoute?.name ?? "", url.canonicalAction, url.canonicalQuery)
        // Rare parts are written beforehand.
        let typedParameters = kinds.needsTypes(for: parameters) ? kinds.json(parameters).bytes : nil
        let dataText = data.isEmpty ? nil : dataValue.bytes
        let parametersRoom = typedParameters?.count ?? OutputSpan.room(forItems: parameters)
        let factsText = received.syntax == .url || received.fragment != nil ? self.factsText : []
        let longest = max(url.storage.count, received.storage.count)
        let room =
            (5 * longest + route.utf8.count + action.utf8.count + query.utf8.count) * 6 + parametersRoom
            + (dataText?.count ?? 2) + factsText.count + 320
        bytes.append(addingCapacity: room) { output in
            output.append("\"url\":")
            output.append(json: received)
            output.append(",\"route\":")
            output.append(json: route.utf8.span)
            output.append(",\"action\":")
            output.append(json: action.utf8.span)
            output.append(",\"query\":")
            output.append(json: query.utf8.span)
            output.append(contentsOf: factsText.span)
            output.append(",\"parameters\":")
            if let typedParameters {
                output.append(contentsOf: typedParameters.span)
            } else {
                output.append(members: parameters)
            }
            output.append(",\"source\":")
            output.append(json: .source, of: received)
            appendSender(to: &output)
            output.append(",\"data\":")
            if let dataText { output.append(contentsOf: dataText.span) } else { output.append("{}") }
            output.append(",\"callbacks\":{")
            var comma: StaticString = "\""
            for item in [ActionURL.ProtocolItem.success, .error, .cancel] where received.range(of: item) != nil {
                output.append(comma)
                output.append(item.callbackName)
                output.append("\":")
                output.append(json: item, of: received)
                comma = ",\""
            }
            output.append("}")
        }
    }

    /// The parts of the URL that it can lack, as members.
    private var factsText: [UInt8] {
        let members = RequestFact.partsOfURLs.compactMap { fact in
            text(of: fact).map {
                ",\"\(fact.rawValue)\":\(String(decoding: JSONValue.string($0).bytes, as: UTF8.self))"
            }
        }
        return Array(members.joined().utf8)
    }

    /// Appends the origin and the sender of the request.
    private func appendSender(to output: inout OutputSpan<UInt8>) {
        output.append(",\"origin\":\"")
        for byte in origin.rawValue.utf8 { output.append(byte) }
        output.append("\",\"peer\":{\"uid\":")
        output.append(decimal: UInt64(peer.userID))
        output.append(",\"gid\":")
        output.append(decimal: UInt64(peer.groupID))
        output.append(",\"pid\":")
        output.append(decimal: UInt64(max(peer.processID, 0)))
        output.append("}")
    }

    /// The data that middleware has added, as far as it has a JSON form.
    package var dataValue: JSONValue { .object(dataMembers) }

    private var dataMembers: [JSONValue.Member] {
        data.sorted { $0.key < $1.key }.compactMap { key, value in
            switch value {
            case let value as JSONValue: .init(key, value)
            case let text as String: .init(key, .string(text))
            case let texts as [String]: .init(key, .array(texts.map { .string($0) }))
            case let number as Int: .init(key, .number(JSONNumber(number)))
            case let isTrue as Bool: .init(key, .bool(isTrue))
            default: nil
            }
        }
    }
}

extension OutputSpan<UInt8> {
    /// Appends parameters as an object of strings, a name alone as the empty array; the span must have room for
    /// ``room(forItems:)`` bytes.
    fileprivate mutating func append(members parameters: borrowing QueryItems) {
        append("{")
        for index in parameters.entries.indices {
            let entry = parameters.entries[index]
            if index > 0 { append(",") }
            append(json: parameters.storage.bytes.span.extracting(entry.name))
            append(":")
            if entry.hasValue { append(value: entry, of: parameters) } else { append("[]") }
        }
        append("}")
    }

    /// Appends a URL as JSON, without its hidden values.
    fileprivate mutating func append(json url: borrowing ActionURL) {
        if url.hidesSomething {
            append(json: url.received.utf8.span)
        } else {
            append(json: url.storage.bytes.span.extracting(0..<url.receivedCount))
        }
    }

    /// Appends the value of a protocol item as JSON: a string, or `null` if the URL does not have the item.
    fileprivate mutating func append(json item: ActionURL.ProtocolItem, of url: borrowing ActionURL) {
        if let range = url.range(of: item) {
            append(json: url.storage.bytes.span.extracting(range))
        } else {
            append("null")
        }
    }
}

extension ActionURL.ProtocolItem {
    /// The name of a callback in the JSON object.
    fileprivate var callbackName: StaticString {
        switch self {
        case .success: "success"
        case .error: "error"
        case .cancel: "cancel"
        case .source: "source"
        }
    }
}
