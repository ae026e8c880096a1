import XCallbackEventLoop
package import XCallbackPipeline
import XCallbackURL
import XCallbackWire

/// A call to the program server: the place of a program in the configuration, and the request.
package struct ProgramServerCall {
    /// The kind of the stage.
    package let kind: ProgramStage.Kind
    /// The index among the stages of its kind.
    package let position: Int
    /// The identity of the route within the configuration.
    package let route: String
    /// The request; nil for a program that is started as a receiver.
    package private(set) var request: Request?
    /// The reason why the request is invalid; nil if it is valid.
    private(set) var fault: CallbackError?

    /// Creates the call for the program of a stage; without a request, it is started as a receiver.
    init(_ stage: ProgramStage, for request: Request?) {
        kind = stage.kind
        position = stage.position
        route = stage.route
        self.request = request
    }

    /// Reads the parameters of a call.
    init(_ parameters: VarlinkObject) throws(VarlinkError) {
        try parameters.check(["route", "stage", "position", "request"])
        route = try parameters.required("route").text()
        kind = try parameters.required("stage").choice()
        position = try parameters.required("position").integer()
        if let value = parameters.optional("request") { (request, fault) = try value.object().request() }
    }

    /// The call's parameters.
    var json: JSONValue {
        [
            "route": .string(route), "stage": .string(kind.rawValue), "position": .number(JSONNumber(position)),
            "request": request.map(\.valueForRunner) ?? .null,
        ]
    }
}

extension Request {
    /// The request with all data that a runner needs to make the command.
    fileprivate var valueForRunner: JSONValue {
        [
            "id": id.map { .string($0.description) } ?? .null, "url": .string(url.received),
            "received": receivedURL.map { .string($0.received) } ?? .null,
            "syntaxes": [.string(url.syntax.rawValue), .string((receivedURL ?? url).syntax.rawValue)],
            "origin": .string(origin.rawValue),
            "peer": [
                "uid": .number(JSONNumber(peer.userID)), "gid": .number(JSONNumber(peer.groupID)),
                "pid": .number(JSONNumber(peer.processID)),
            ],
            "parameters": .array(
                parameters.map { ["name": .string($0.name), "value": $0.value.map { .string($0) } ?? .null] }),
            "data": dataValue,
        ]
    }
}

extension VarlinkObject {
    /// Reads a request that the router has sent, and the reason why it is invalid.
    fileprivate func request() throws(VarlinkError) -> (Request, CallbackError?) {
        try check(["id", "url", "received", "syntaxes", "origin", "peer", "parameters", "data"])
        var request = Request(peer: try required("peer").object().peer(), origin: try required("origin").choice())
        let id = try optional("id")?.text()
        request.id = id.flatMap { RequestID($0) }
        let url = try required("url").text()
        let received = try optional("received")?.text()
        var syntaxes: [URLSyntax] = []
        for element in try optional("syntaxes")?.elements() ?? [] { syntaxes.append(try element.choice()) }
        for element in try required("parameters").elements() {
            let item = try element.object()
            try item.check(["name", "value"])
            request.parameters.append(try item.required("name").text(), try item.optional("value")?.text())
        }
        for member in try required("data").object().json().members ?? [] { request.data[member.name] = member.value }
        do throws(CallbackError) {
            request.url = try ActionURL(fromRouter: url, as: syntaxes.first)
            if let received { request.receivedURL = try ActionURL(fromRouter: received, as: syntaxes.last) }
            return (request, nil)
        } catch {
            return (request, error)
        }
    }

    /// Reads a process.
    private func peer() throws(VarlinkError) -> Peer {
        try check(["uid", "gid", "pid"])
        return Peer(
            userID: try required("uid").integer(), groupID: try required("gid").integer(),
            processID: try required("pid").integer())
    }
}

extension ActionURL {
    /// Parses a URL that the router has accepted, with any number of parameters.
    fileprivate init(fromRouter text: String, as syntax: URLSyntax?) throws(CallbackError) {
        self.init()
        do throws(ActionURLError) {
            try parse(text.utf8.span, as: syntax ?? .callback, maximumItems: .max)
        } catch {
            throw error.callbackError
        }
    }
}

/// The result of a program, as the program server reports it.
extension ChildResult {
    /// The parameters of the reply.
    var json: JSONValue {
        var members = [JSONValue.Member]()
        switch ending {
        case .exited(let status): members.append(.init("status", .number(JSONNumber(status))))
        case .killed(let signal): members.append(.init("signal", .number(JSONNumber(signal))))
        }
        if let unit { members.append(.init("unit", .string(unit))) }
        return .object(members + Self.members(output: output, exceededOutput, errors: errors))
    }

    /// The parameters of the reply when a detached program has started.
    static var started: JSONValue { .object(members(output: [], false, errors: [])) }

    /// The parameters of the reply with the unit in which a program will run.
    static func running(in unit: String) -> JSONValue {
        .object([.init("unit", .string(unit))] + members(output: [], false, errors: []))
    }

    private static func members(output: [UInt8], _ exceeded: Bool, errors: [UInt8]) -> [JSONValue.Member] {
        [
            .init("output", .string(TextForms.base64(output.span, isURLSafe: false))),
            .init("exceeded", .bool(exceeded)),
            .init("errors", .string(TextForms.base64(errors.span, isURLSafe: false))),
        ]
    }

    /// Reads a reply; nil if it does not match the interface or does not report the end of a program.
    init?(_ reply: JSONValue) {
        func bytes(_ name: String) -> [UInt8]? {
            reply[name]?.text.flatMap { text in text.isEmpty ? [] : TextForms.data(in: text.utf8.span) }
        }
        let ending: Ending
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
