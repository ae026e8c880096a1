import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Reads App Link data: the JSON object in the parameter `al_applink_data`.
///
/// The object becomes `app-link` in the data of the request; the received URL becomes its `target_url` if that is
/// missing. Unpublished members stay in it: the protocol lets applications add their own.
struct AppLinksMiddleware: Middleware, ConfiguredStage {
    /// The name of the parameter in the protocol.
    private static let parameterName = "al_applink_data"
    private let isDeclared: Bool

    init?(_ source: StageSource) {
        if let node = source.node, !node.isNull {
            source.faults.report("expected nothing after '\(source.name)', found \(node.found)", at: node.place)
        }
        isDeclared = source.route.parameterNames.contains(Self.parameterName)
    }

    func receive(_ request: inout Request, _ host: any StageHost) -> MiddlewareResult {
        guard request.parameters.contains(name: Self.parameterName) else { return .proceed }
        let items = request.parameters.filter { $0.name == Self.parameterName }
        guard items.count == 1 else { return .answer(.error(.faultyLink("is given more than once"))) }
        do throws(CallbackError) {
            request.data["app-link"] = try Self.link(in: items[0].value ?? "", of: request)
        } catch {
            return .answer(.error(error))
        }
        if !isDeclared { request.parameters.removeAll(named: Self.parameterName) }
        return .proceed
    }

    private static func link(in text: String, of request: Request) throws(CallbackError) -> JSONValue {
        let bytes = Array(text.utf8)
        guard let value = try? JSONValue(parsing: bytes.span, maximumSize: bytes.count),
            case .object(let all) = value
        else { throw .faultyLink("must be a JSON object") }
        let members = all.filter { $0.value != .null }
        if members.contains(where: { $0.name == "target_url" }) { return .object(members) }
        return .object(members + [.init("target_url", .string(request.receivedText))])
    }
}

extension CallbackError {
    fileprivate static func faultyLink(_ fault: String) -> CallbackError {
        CallbackError(.badParameter, "Parameter 'al_applink_data' \(fault).")
    }
}
