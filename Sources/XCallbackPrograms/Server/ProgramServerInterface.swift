package import XCallbackLinux
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
        # A connection is good for one program; only the router's user and root may connect. What is run is read from the
        # configuration: a call says where it stands there, and holds the request that its placeholders are filled from.
        interface org.xcallback.ProgramServer

        # An item of a query. One without a value has none here either.
        type Item (name: string, value: ?string)

        # A process, as the kernel noted it when it connected.
        type Peer (uid: int, gid: int, pid: int)

        # A request as a stage meets it. 'id' is what the router calls it. 'received' is the URL that was received, where a
        # redirect has led to another; 'syntaxes' are those of both. The parameters are those that the stages before it have
        # left, and for policies and handlers in their decoded form.
        type Request (
          id: ?string,
          url: string,
          received: ?string,
          syntaxes: ?[](callback, url, text),
          origin: (desktop, socket, internal, agent),
          peer: Peer,
          parameters: []Item,
          data: object
        )

        # Runs the program of a stage. The stage is the one at a position among the middleware or the policies of a route,
        # counted from 0, or its handler. There is no request for a program that is started to receive.
        #
        # The reply comes when the program has ended, by itself with a status, or by a signal; 'output' and 'errors' are
        # base64 (RFC 4648), and 'exceeded' says that it wrote more than it may and was ended; 'unit' is where it has run. A
        # program that lives on its own has neither status nor signal: the reply comes once it has started. A call with
        # 'more' gets a second reply when it has ended; the program outlives the connection. Any other program ends, with
        # all that it has started, if the connection is closed before the reply; a call with 'more' gets another reply
        # before that, which tells only the 'unit'.
        method Run(
          route: string,
          stage: (middleware, policy, handler),
          position: int,
          request: ?Request
        ) -> (status: ?int, signal: ?int, unit: ?string, output: string, exceeded: bool, errors: string)

        # The configuration names no program there.
        error NoSuchProgram (route: string)

        # No request of the route can be like this one. 'code' and 'message' are an error as clients see it.
        error RequestRefused (code: int, message: string)

        # The configuration cannot be read, or has faults; the journal has them as entries of 'unit'.
        error ConfigurationFaulty (faults: int, unit: ?string)

        # The system does not start the program: the call that fails, and its error number.
        error NotStarted (call: string, number: int)

        """
}

/// The reason why the program server does not run a program, as the caller sees it.
package enum ProgramServerRefusal: Error, Hashable {
    /// The configuration has no program at that place.
    case noSuchProgram(route: String)
    /// The request is not valid for the route.
    case request(code: Int, message: String)
    /// The configuration has faults; the journal lists them under the unit.
    case configuration(faults: Int, unit: String?)
    /// The system cannot start the program.
    case notStarted(SystemError)

    /// Creates the refusal of a request that the configuration does not allow.
    package init(_ error: CallbackError) { self = .request(code: error.code.rawValue, message: error.message) }

    private var name: String {
        switch self {
        case .noSuchProgram: "NoSuchProgram"
        case .request: "RequestRefused"
        case .configuration: "ConfigurationFaulty"
        case .notStarted: "NotStarted"
        }
    }

    /// The corresponding error of the interface.
    var varlinkError: VarlinkError {
        let parameters: [JSONValue.Member] =
            switch self {
            case .noSuchProgram(let route): [.init("route", .string(route))]
            case .request(let code, let message):
                [.init("code", .number(JSONNumber(code))), .init("message", .string(message))]
            case .configuration(let faults, let unit):
                [.init("faults", .number(JSONNumber(faults)))] + (unit.map { [.init("unit", .string($0))] } ?? [])
            case .notStarted(let error):
                [.init("call", .string(error.call)), .init("number", .number(JSONNumber(error.code)))]
            }
        return VarlinkError("\(ProgramServerInterface.name).\(name)", parameters)
    }

    /// Reads an error of the interface; nil if it is another error.
    init?(_ error: VarlinkError) {
        let parameters = JSONValue.object(error.parameters)
        let (text, number) = (parameters["message"]?.text, parameters["code"]?.integer)
        switch error.name.split(separator: ".").last {
        case "NoSuchProgram": self = .noSuchProgram(route: parameters["route"]?.text ?? "")
        case "RequestRefused": self = .request(code: number ?? 500, message: text ?? "")
        case "ConfigurationFaulty":
            self = .configuration(faults: parameters["faults"]?.integer ?? 0, unit: parameters["unit"]?.text)
        case "NotStarted":
            let code = parameters["number"]?.integer.flatMap { Int32(exactly: $0) }
            self = .notStarted(SystemError(parameters["call"]?.text ?? "", code: code ?? 0))
        default: return nil
        }
    }
}

extension ProgramServerRefusal: CustomStringConvertible {
    /// The reason, for the log.
    package var description: String {
        switch self {
        case .noSuchProgram: "the configuration names no program there"
        case .request(_, let message): message
        case .configuration(let faults, _): "the configuration has \(faults == 1 ? "1 fault" : "\(faults) faults")"
        case .notStarted(let error): "\(error)"
        }
    }
}
