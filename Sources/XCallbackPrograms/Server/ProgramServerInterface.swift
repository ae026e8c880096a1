import XCallbackLinux
import XCallbackPipeline
package import XCallbackURL
import XCallbackWire

/// The interface between the system's router and the server that runs the programs of its routes (`xcallbackd --run`).
///
/// It is Varlink, like the router's own interface: a call with an unknown member, or one of the wrong type, is rejected,
/// and an administrator can make calls by hand.
enum ProgramServerInterface {
    /// Its name.
    static let name = "org.xcallback.ProgramServer"
    /// The maximum size of a call, in bytes.
    static let callLimit = 4 << 20

    /// The service that the router sees.
    static let service = VarlinkService(
        VarlinkService.Information(
            vendor: "xcallbackd", product: "xcallbackd --run", version: Version.text,
            url: "https://x-callback-url.com"),
        interface: name, description: description, methods: [VarlinkService.Method("Run")])

    private static let description = """
        # Runs the programs that the system's configuration names, for the router, outside of its sandbox and as another user.
        #
        # A connection is good for one program; only the router's user and root may connect. The program is read from the
        # configuration: a call names its place there, and holds the request that fills its placeholders.
        interface org.xcallback.ProgramServer

        # An item of a query; one without a value has none here either.
        type Item (name: string, value: ?string)

        # A process, as the kernel noted it when it connected.
        type Peer (uid: int, gid: int, pid: int)

        # A request as a stage meets it: 'received' is the URL before a redirect, 'syntaxes' are those of both URLs.
        type Request (id: ?string, url: string, received: ?string, syntaxes: ?[](callback, url, text),
          origin: (desktop, socket, internal, agent), peer: Peer, parameters: []Item, data: object)

        # Runs the program of a stage: the one at a position among the middleware or the policies of a route, counted from 0,
        # or its handler. A program that is started to receive has no request.
        #
        # The reply comes when the program has ended, with a status or by a signal; 'output' and 'errors' are base64, and
        # 'exceeded' says that it was ended because it wrote too much. It ends if the connection is closed before. A detached
        # program has neither status nor signal, and outlives the connection: the reply comes once it has started. A call
        # with 'more' gets one more reply: before it, with the 'unit', or at the end of a detached program.
        method Run(route: string, stage: (middleware, policy, handler), position: int, request: ?Request)
          -> (status: ?int, signal: ?int, unit: ?string, output: string, exceeded: bool, errors: string)

        # The configuration names no program there.
        error NoSuchProgram (route: string)

        # The request cannot be one of the route; 'code' and 'message' are an error as clients see it.
        error RequestRefused (code: int, message: string)

        # The configuration cannot be read, or has faults; the journal has them as entries of 'unit'.
        error ConfigurationFaulty (faults: int, unit: ?string)

        # The system does not start the program: the call that fails, and its error number.
        error NotStarted (call: string, number: int)

        """
}

/// The reason why the program server does not run a program.
package struct ProgramServerRefusal: Error {
    /// The reason, for the log.
    let reason: String
    /// The reply to the call.
    let error: VarlinkError

    private init(_ reason: String, _ error: VarlinkError) {
        self.reason = reason
        self.error = error
    }

    /// Creates the refusal of a request that the configuration does not allow.
    package init(_ error: CallbackError) {
        self.init(
            error.message,
            .ofServer(
                "RequestRefused", .init("code", .number(JSONNumber(error.code.rawValue))),
                .init("message", .string(error.message))))
    }

    /// The configuration has no program at the place of a call.
    static func noSuchProgram(of route: String) -> Self {
        Self("the configuration names no program there", .ofServer("NoSuchProgram", .init("route", .string(route))))
    }

    /// The configuration has faults; the journal lists them under the unit.
    package static func configuration(faults: Int, unit: String?) -> Self {
        let unit = unit.map { JSONValue.Member("unit", .string($0)) }
        return Self(
            "the configuration has \(faults == 1 ? "1 fault" : "\(faults) faults")",
            .ofServer("ConfigurationFaulty", .init("faults", .number(JSONNumber(faults))), unit))
    }
}

extension VarlinkError {
    /// The system cannot start the program.
    static func notStarted(_ error: SystemError) -> Self {
        ofServer(
            "NotStarted", .init("call", .string(error.call)), .init("number", .number(JSONNumber(error.code))))
    }

    fileprivate static func ofServer(_ name: String, _ parameters: JSONValue.Member?...) -> Self {
        Self("\(ProgramServerInterface.name).\(name)", parameters.compactMap(\.self))
    }
}
