package import XCallbackEventLoop
package import XCallbackLinux
package import XCallbackPipeline
package import XCallbackURL
package import XCallbackWire

/// A call to the program server: the place of a program in the configuration, and the request.
///
/// Messages are JSON and end with a NUL. They look like those of Varlink, but a call can have two replies.
package struct ProgramServerCall {
    static let interface = "org.xcallback.ProgramServer"
    /// The maximum size of a call, in bytes.
    package static let sizeLimit = 4 << 20

    /// The kind of the stage.
    package let kind: ProgramStage.Kind
    /// The index among the stages of its kind.
    package let position: Int
    /// The route, as the router has loaded it.
    package let route: LoadedRoute
    /// The request; nil for a program that is started as a receiver.
    package private(set) var request: Request?

    /// Creates the call for the program of a stage.
    ///
    /// - Parameters:
    ///   - stage: The stage.
    ///   - request: A request of its route.
    ///   - isReceiver: Whether the program is started to receive, not for this request.
    init(_ stage: ProgramStage, for request: Request, isReceiver: Bool) {
        kind = stage.kind
        position = stage.position
        route = LoadedRoute(
            identity: stage.route, content: request.matchedRoute?.contentHash, files: stage.files)
        self.request = isReceiver ? nil : request
    }

    /// Reads the parameters of a call.
    package init(_ parameters: JSONValue?) throws(ProgramServerRefusal) {
        let parameters = try checked(
            parameters, hasOnly: ["route", "content", "files", "stage", "position", "request"])
        guard let route = parameters["route"]?.text, let position = parameters["position"]?.integer,
            let kind = parameters["stage"]?.text.flatMap(ProgramStage.Kind.init(rawValue:))
        else { throw .invalidCall }
        // The router of an earlier version does not send the content.
        self.route = LoadedRoute(
            identity: route, content: parameters["content"]?.text.flatMap { UInt64($0, radix: 16) },
            files: parameters["files"]?.elements?.compactMap(\.text))
        (self.kind, self.position) = (kind, position)
        if let value = parameters["request"], value != .null { request = try Request(fromRouter: value) }
    }

    /// The message of the call.
    var message: JSONValue {
        [
            "method": .string("\(Self.interface).Run"),
            "parameters": [
                "route": .string(route.identity), "content": .text(route.content.map { String($0, radix: 16) }),
                "files": .texts(route.files ?? []), "stage": .string(kind.rawValue),
                "position": .number(JSONNumber(position)),
                "request": request.map(\.valueForServer) ?? .null,
            ],
        ]
    }
}

/// Returns an object; a call with an unknown member is rejected.
private func checked(_ value: JSONValue?, hasOnly names: Set<String>) throws(ProgramServerRefusal) -> JSONValue {
    guard let value, let members = value.members, names.isSuperset(of: members.map(\.name)) else {
        throw .invalidCall
    }
    return value
}

extension Request {
    /// The request with all data that the program server needs to make the command.
    fileprivate var valueForServer: JSONValue {
        [
            "id": .text(id?.description), "url": .string(url.received), "received": .text(receivedURL?.received),
            "syntaxes": [.string(url.syntax.rawValue), .string((receivedURL ?? url).syntax.rawValue)],
            "origin": .string(origin.rawValue), "peer": peer.json, "parameters": parameters.json, "data": dataValue,
            "source": .text(clientName),
        ]
    }

    /// Reads a request that the router has sent.
    fileprivate init(fromRouter value: JSONValue) throws(ProgramServerRefusal) {
        let names: Set = ["id", "url", "received", "syntaxes", "origin", "peer", "parameters", "data", "source"]
        let value = try checked(value, hasOnly: names)
        let peer = try checked(value["peer"], hasOnly: ["uid", "gid", "pid"])
        guard let userID = peer["uid"]?.integer.flatMap({ UInt32(exactly: $0) }),
            let groupID = peer["gid"]?.integer.flatMap({ UInt32(exactly: $0) }),
            let processID = peer["pid"]?.integer.flatMap({ Int32(exactly: $0) }),
            let origin = value["origin"]?.text.flatMap(Origin.init(rawValue:)), let url = value["url"]?.text,
            let items = value["parameters"]?.elements, let members = value["data"]?.members
        else { throw .invalidCall }
        self.init(peer: Peer(userID: userID, groupID: groupID, processID: processID), origin: origin)
        id = value["id"]?.text.flatMap { RequestID($0) }
        clientName = value["source"]?.text
        for item in items {
            let item = try checked(item, hasOnly: ["name", "value"])
            guard let name = item["name"]?.text else { throw .invalidCall }
            parameters.append(name, item["value"]?.text)
        }
        for member in members { data[member.name] = member.value }
        let syntaxes = value["syntaxes"]?.elements?.compactMap { $0.text.flatMap(URLSyntax.init(rawValue:)) } ?? []
        self.url = try ActionURL(fromRouter: url, as: syntaxes.first)
        if let received = value["received"]?.text {
            receivedURL = try ActionURL(fromRouter: received, as: syntaxes.last)
        }
    }
}

extension ActionURL {
    /// Parses a URL that the router has accepted, with any number of parameters.
    fileprivate init(fromRouter text: String, as syntax: URLSyntax?) throws(ProgramServerRefusal) {
        self.init()
        do throws(ActionURLError) {
            try parse(text.utf8.span, as: syntax ?? .callback, maximumItems: .max)
        } catch {
            throw ProgramServerRefusal(error.callbackError)
        }
    }
}

/// The reason why the program server does not run a program.
package struct ProgramServerRefusal: Error {
    /// The reason, for the log.
    package let reason: String
    /// The reply to the call.
    package let reply: JSONValue

    private init(_ name: String, _ reason: String, _ parameters: JSONValue = [:]) {
        self.reason = reason
        let name = name.contains(".") ? name : "\(ProgramServerCall.interface).\(name)"
        reply = ["error": .string(name), "parameters": parameters]
    }

    static let invalidCall = Self(
        "org.varlink.service.InvalidParameter", "the call does not match the interface", ["parameter": "parameters"])
    package static let noSuchProgram = Self(
        "NoSuchProgram", "the configuration names no program there",
        ["reason": "the configuration names no program there"])

    /// The system does not start the program.
    package static func notStarted(_ error: SystemError) -> Self {
        Self("NotStarted", "\(error)", ["call": .string(error.call), "number": .number(JSONNumber(error.code))])
    }

    /// The configuration does not allow the request.
    package init(_ error: CallbackError) {
        self.init(
            "RequestRefused", error.message,
            ["code": .number(JSONNumber(error.code.rawValue)), "message": .string(error.message)])
    }

    /// The route is no longer what the router has loaded; the journal lists faults under the unit.
    package static func changedRoute(faults: Int, unit: String?) -> Self {
        var reason = "the configuration of the route has changed since it was loaded"
        if faults > 0 { reason += ", and has \(faults == 1 ? "1 fault" : "\(faults) faults")" }
        return Self("RouteChanged", reason, ["reason": .string(reason), "unit": .text(unit)])
    }
}

/// The result of a program, as the program server reports it.
extension ChildResult {
    /// The parameters of the reply.
    package var json: JSONValue {
        let (name, number) =
            switch ending {
            case .exited(let status): ("status", status)
            case .killed(let signal): ("signal", signal)
            }
        return .object(
            .init(present: [
                name: .number(JSONNumber(number)), "unit": unit.map { .string($0) },
                "output": .string(TextForms.base64(output.span, isURLSafe: false)),
                "exceeded": .bool(exceededOutput),
                "errors": .string(TextForms.base64(errors.span, isURLSafe: false)),
            ]))
    }

    /// Reads a reply; nil if it does not match the interface or does not report the end of a program.
    init?(_ reply: JSONValue) {
        func bytes(_ name: String) -> [UInt8]? {
            reply[name]?.text.flatMap { text in text.isEmpty ? [] : TextForms.data(in: text.utf8.span) }
        }
        let ending: SpawnedProcess.Ending
        switch (reply["status"]?.integer, reply["signal"]?.integer) {
        case (let status?, nil): ending = .exited(status: Int32(truncatingIfNeeded: status))
        case (nil, let signal?): ending = .killed(signal: Int32(truncatingIfNeeded: signal))
        default: return nil
        }
        guard let output = bytes("output"), let errors = bytes("errors"), let exceeded = reply["exceeded"]?.truth else {
            return nil
        }
        self.init(ending: ending, output: output, exceededOutput: exceeded, errors: errors)
        unit = reply["unit"]?.text
    }
}
