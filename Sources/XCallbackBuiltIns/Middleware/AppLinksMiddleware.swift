import XCallbackPipeline
import XCallbackURL
import XCallbackWire

/// Reads App Link data: the JSON object in the parameter `al_applink_data`.
///
/// The object becomes `app-link` in the data of the request; the received URL becomes its `target_url` if that is
/// missing. Unpublished members stay in it: the protocol lets applications add their own.
struct AppLinksMiddleware: Middleware, ConfiguredStage {
    /// The name of the parameter in the protocol.
    private static let parameterName = "al_applink_data"
    /// The published members that are texts, and those that are objects.
    private static let texts = ["target_url", "user_agent"]
    private static let refererTexts = ["target_url", "url", "app_name"]

    private let isDeclared: Bool

    init?(_ source: StageSource) {
        source.refuseNode()
        isDeclared = source.route.parameterNames.contains(Self.parameterName)
    }

    func receive(_ request: inout Request, _ state: inout PipelineState) -> MiddlewareResult {
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
        for name in texts where value[name]?.isText == false {
            throw .faultyLink("must have a text as its '\(name)'")
        }
        // Some senders write the version as a number.
        if value["version"]?.isText == false, value["version"]?.isNumber == false {
            throw .faultyLink("must have a text as its 'version'")
        }
        for name in ["extras", "referer_app_link"] where value[name]?.isObject == false {
            throw .faultyLink("must have an object as its '\(name)'")
        }
        for name in refererTexts where value["referer_app_link"]?[name]?.isText == false {
            throw .faultyLink("must have a text as the '\(name)' of its 'referer_app_link'")
        }
        if members.contains(where: { $0.name == "target_url" }) { return .object(members) }
        return .object(members + [.init("target_url", .string(request.receivedText))])
    }
}

extension JSONValue {
    /// Whether the value is a text or null.
    fileprivate var isText: Bool {
        if case .string = self { true } else { self == .null }
    }

    fileprivate var isNumber: Bool {
        if case .number = self { true } else { false }
    }

    /// Whether the value is an object or null.
    fileprivate var isObject: Bool {
        if case .object = self { true } else { self == .null }
    }
}

extension CallbackError {
    fileprivate static func faultyLink(_ fault: String) -> CallbackError {
        CallbackError(.badParameter, "Parameter 'al_applink_data' \(fault).")
    }
}
