import TestSupport
import Testing
import XCallbackRouter
import XCallbackURL

/// Whether a request that another process brings can be one of a route.
struct AdmissionTests {
    private static let pipeline: Pipeline? = {
        var id = ParameterRule(type: .integer)
        id.maximum = ParameterRule.Bound("9")
        var tags = ParameterRule(type: .string, isList: true)
        tags.isRequired = false
        let input = Input(
            [
                Input.Declaration(name: "id", rule: id), Input.Declaration(name: "tags", rule: tags),
                Input.Declaration(name: "text", rule: ParameterRule(type: .string)),
            ], isStrict: true)
        let handler = Route.HandlerStage.immediate(Answering { _ in .success([:]) })
        let routes = try? [
            Route("notes:/notes/:id{/*rest}", input: input, handler), Route("notes:/open/:name", handler),
            Route("notes:/notes/special", isPublic: false, handler),
        ]
        let rules = CallbackRules([SchemeSettings("notes")])
        return routes.flatMap { try? Pipeline(schemes: [SchemeSettings("notes")], routes: $0, callbackRules: rules) }
    }()

    /// What is said of a request: nothing if it may be one of the route.
    private static func refusal(
        _ url: String, of route: String, _ parameters: QueryItems, _ origin: Origin, isDecoded: Bool
    ) throws -> String {
        var request = Request(peer: Peer(userID: 1, groupID: 1, processID: 1), origin: origin)
        request.url = try ActionURL(url)
        request.parameters = parameters
        let pipeline = try #require(pipeline)
        do {
            let found = try pipeline.admit(&request, to: route, isDecoded: isDecoded)
            #expect(request.matchedRoute === found)
            return found == nil ? "no route" : ""
        } catch {
            return error.message
        }
    }

    static let notes = #"notes:/notes/:id{/*rest} ["int", "string"]"#
    static let decoded: [(url: String, route: String, parameters: QueryItems, refusal: String)] = [
        ("notes:/notes/7", notes, ["id": "7", "text": "a"], ""),
        ("notes:/notes/7/a/b", notes, ["id": "7", "rest": "a", "rest": "b", "text": ""], ""),
        ("notes:/notes/7", notes, ["id": "7", "text": "a", "tags": "x,y", "tags": "z"], ""),
        ("notes:/notes/7", notes, ["id": "7", "text": "a", "tags": nil], ""),
        (
            "notes:/notes/7", notes, ["id": "7", "text": "a", "tags": nil, "tags": "z"],
            "Parameter 'tags' has no value."
        ),
        ("notes:/notes/7", "notes:/notes/:id", ["id": "7", "text": "a"], "no route"),
        ("notes:/notes/7", "", ["id": "7", "text": "a"], "no route"),
        ("notes:/notes/special", notes, ["id": "7", "text": "a"], "The URL is not one of this route."),
        ("notes:/none", notes, ["id": "7", "text": "a"], "The URL is not one of this route."),
        ("other:/notes/7", notes, ["id": "7", "text": "a"], "The URL is not one of this route."),
        ("notes:/notes/7", notes, ["text": "a"], "Parameter 'id' is not what a URL of the route has."),
        ("notes:/notes/7", notes, ["id": "", "text": "a"], "Parameter 'id' is not what a URL of the route has."),
        ("notes:/notes/7", notes, ["id": nil, "text": "a"], "Parameter 'id' is not what a URL of the route has."),
        ("notes:/notes/7", notes, ["id": "x", "text": "a"], "Parameter 'id' is not what a URL of the route has."),
        (
            "notes:/notes/7", notes, ["id": "7", "id": "8", "text": "a"],
            "Parameter 'id' is not what a URL of the route has."
        ),
        ("notes:/notes/7", notes, ["id": "10", "text": "a"], "Parameter 'id' must be at most 9."),
        ("notes:/notes/7", notes, ["id": "7"], "Parameter 'text' is missing."),
        ("notes:/notes/7", notes, ["id": "7", "text": nil], "Parameter 'text' has no value."),
        ("notes:/notes/7", notes, ["id": "7", "text": "a", "text": "b"], "Parameter 'text' is given more than once."),
        (
            "notes:/notes/7", notes, ["id": "7", "text": "a", "more": "b"],
            "This action has no parameter 'more'."
        ),
        ("notes:/notes/7", notes, ["id": "7", "text": "a\0"], "A parameter cannot be one of a request."),
        ("notes:/open/a", "notes:/open/:name", ["name": "a", "x-a": "b"], "A parameter cannot be one of a request."),
        ("notes:/open/a", "notes:/open/:name", ["name": "b", "more": nil], ""),
    ]

    @Test(arguments: decoded)
    func aRequestIsWhatTheRouteCanHave(url: String, route: String, parameters: QueryItems, refusal: String) throws {
        expect(try Self.refusal(url, of: route, parameters, .socket, isDecoded: true), equals: refusal)
    }

    static let received: [(QueryItems, String)] = [
        (["id": "99"], ""), (["id": "99", "more": "b", "text": nil], ""),
        (["id": "x"], "Parameter 'id' is not what a URL of the route has."),
        (["text": "a"], "Parameter 'id' is not what a URL of the route has."),
    ]

    @Test(arguments: received)
    func beforeTheInputIsDecodedOnlyCapturesAreChecked(parameters: QueryItems, refusal: String) throws {
        expect(
            try Self.refusal("notes:/notes/7", of: Self.notes, parameters, .socket, isDecoded: false), equals: refusal)
    }

    static let origins: [(url: String, origin: Origin, refusal: String)] = [
        (
            "notes:/notes/special", .desktop,
            "This action is private: the desktop may ask only for routes with 'public: true'."
        ),
        ("notes:/notes/special", .internal, ""), ("notes:/open/a", .desktop, ""),
    ]

    @Test(arguments: origins)
    func theDesktopReachesPublicRoutesOnly(url: String, origin: Origin, refusal: String) throws {
        let route = url == "notes:/open/a" ? "notes:/open/:name" : url
        expect(try Self.refusal(url, of: route, ["name": "a"], origin, isDecoded: true), equals: refusal)
    }

    @Test func moreParametersThanAllowedAreRefused() throws {
        var parameters: QueryItems = ["name": "a"]
        for number in 0..<300 { parameters.append("p\(number)", "") }
        let refusal = try Self.refusal("notes:/open/a", of: "notes:/open/:name", parameters, .socket, isDecoded: true)
        #expect(refusal == "The request has more than 256 parameters.")
    }
}
