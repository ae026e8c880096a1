package import XCallbackEventLoop
package import XCallbackLinux
package import XCallbackRouter
package import XCallbackURL
package import XCallbackWire

/// The Varlink interface between the system's router and its program server.
package enum ProgramServerInterface {
    static let name = "org.xcallback.ProgramServer"
    static let run = "Run"
    /// The maximum size of a call, in bytes.
    static let sizeLimit = 4 << 20

    /// The service that the program server offers.
    package static let service = VarlinkService(
        VarlinkService.Information(
            vendor: "xcallbackd", product: "xcallbackd", version: Version.text, url: "https://x-callback-url.com"),
        interface: name,
        description: String(decoding: PackageResources.org_xcallback_ProgramServer_varlink, as: UTF8.self),
        methods: [VarlinkService.Method(run, requiresMore: true)])

    /// A conversation with the router.
    package static var session: VarlinkServerSession {
        // Nobody else waits for a turn.
        VarlinkServerSession(limit: sizeLimit, valueLimit: .max)
    }
}

/// The place of a program in the configuration, and the request: the parameters of a call to the program server.
package struct ProgramServerCall {
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
            identity: request.matchedRoute?.identity ?? "", content: request.matchedRoute?.fingerprint ?? 0,
            files: stage.files)
        self.request = isReceiver ? nil : request
    }

    /// Reads the parameters of a call.
    ///
    /// - Throws: ``VarlinkError`` if they do not match the interface, or if the URL of the request is invalid.
    package init(_ parameters: VarlinkObject) throws(VarlinkError) {
        try parameters.check(["route", "content", "files", "stage", "position", "request"])
        let content = try parameters.required("content")
        guard let hash = UInt64(try content.text(), radix: 16) else { throw content.error }
        route = LoadedRoute(
            identity: try parameters.required("route").text(), content: hash,
            files: try parameters.required("files").texts())
        kind = try parameters.required("stage").choice()
        position = try parameters.required("position").integer()
        if let value = parameters.optional("request") { request = try Request(fromRouter: value.object()) }
    }

    /// The parameters of the call.
    var parameters: JSONValue {
        [
            "route": .string(route.identity), "content": .string(String(route.content, radix: 16)),
            "files": .texts(route.files), "stage": .string(kind.rawValue), "position": .number(JSONNumber(position)),
            "request": request.map(\.valueForServer) ?? .null,
        ]
    }
}

/// A route as a process has loaded it, by which another one finds out whether its files have changed since.
package struct LoadedRoute: Hashable, Sendable {
    /// The identity of the route within the configuration (``Route/identity``).
    package let identity: String
    /// The hash of the route's configuration (``Route/fingerprint``).
    package let content: UInt64
    /// The paths of the drop-ins that were loaded.
    package let files: [String]

    /// Creates a route with what was loaded.
    package init(identity: String, content: UInt64, files: [String]) {
        (self.identity, self.content, self.files) = (identity, content, files)
    }
}

extension Request {
    /// The request with all data that the program server needs to make the command.
    fileprivate var valueForServer: JSONValue {
        [
            "id": .text(id?.description), "url": url.valueForServer,
            "received": receivedURL?.valueForServer ?? .null, "origin": .string(origin.rawValue), "peer": peer.json,
            "parameters": parameters.json, "data": dataValue, "source": .text(clientName),
        ]
    }

    /// Reads a request that the router has sent.
    fileprivate init(fromRouter value: VarlinkObject) throws(VarlinkError) {
        try value.check(["id", "url", "received", "origin", "peer", "parameters", "data", "source"])
        let peer = try value.required("peer").object()
        try peer.check(["uid", "gid", "pid"])
        self.init(
            peer: Peer(
                userID: try peer.required("uid").integer(), groupID: try peer.required("gid").integer(),
                processID: try peer.required("pid").integer()),
            origin: try value.required("origin").choice())
        if let text = try value.optional("id")?.text() { id = RequestID(text) }
        clientName = try value.optional("source")?.text()
        for element in try value.required("parameters").elements() {
            let item = try element.object()
            try item.check(["name", "value"])
            parameters.append(try item.required("name").text(), try item.optional("value")?.text())
        }
        for member in try value.required("data").object().json().members ?? [] { data[member.name] = member.value }
        url = try ActionURL(fromRouter: value.required("url").object())
        if let received = value.optional("received") { receivedURL = try ActionURL(fromRouter: received.object()) }
    }
}

extension ActionURL {
    fileprivate var valueForServer: JSONValue { ["text": .string(received), "syntax": .string(syntax.rawValue)] }

    /// Parses a URL that the router has accepted, with any number of parameters.
    fileprivate init(fromRouter value: VarlinkObject) throws(VarlinkError) {
        try value.check(["text", "syntax"])
        let (text, syntax): (String, URLSyntax) = (
            try value.required("text").text(), try value.required("syntax").choice()
        )
        self.init()
        do throws(ActionURLError) {
            try parse(text.utf8.span, as: syntax, maximumItems: .max)
        } catch {
            throw .requestRefused(error.callbackError)
        }
    }
}

/// The reasons why the program server does not run a program.
extension VarlinkError {
    private static func ofProgramServer(_ name: String, _ parameters: JSONValue) -> VarlinkError {
        VarlinkError("\(ProgramServerInterface.name).\(name)", parameters.members ?? [])
    }

    /// The configuration names no program there.
    package static var noSuchProgram: VarlinkError {
        ofProgramServer("NoSuchProgram", ["reason": "the configuration names no program there"])
    }

    /// The system does not start the program.
    package static func notStarted(_ error: SystemError) -> VarlinkError {
        ofProgramServer("NotStarted", ["call": .string(error.call), "number": .number(JSONNumber(error.code))])
    }

    /// The configuration does not allow the request.
    package static func requestRefused(_ error: CallbackError) -> VarlinkError {
        ofProgramServer(
            "RequestRefused",
            ["code": .number(JSONNumber(error.code.rawValue)), "message": .string(error.message)])
    }

    /// The route is no longer what the router has loaded; the journal lists faults under the unit.
    package static func routeChanged(faults: Int, unit: String?) -> VarlinkError {
        var reason = "the configuration of the route has changed since it was loaded"
        if faults > 0 { reason += ", and has \(faults == 1 ? "1 fault" : "\(faults) faults")" }
        return ofProgramServer("RouteChanged", ["reason": .string(reason), "unit": .text(unit)])
    }

    /// The reason for people.
    package var reason: String {
        let texts = ["reason", "message"].compactMap { JSONValue.object(parameters)[$0]?.text }
        return texts.first ?? "\(self)"
    }
}

/// The result of a program, as the program server reports it.
extension ChildResult {
    /// The parameters of the last reply.
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

    /// Reads the last reply; nil if it does not match the interface.
    package init?(_ reply: JSONValue) {
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
