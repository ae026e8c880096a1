import Testing

/// Every stage may stand wherever stages of its kind may.
struct StagePlaceTests {
    static let middleware = [
        "log", "strip", "app-links", "{ rename: { a: b } }", "{ strip: [a, 'b*'] }", "{ exec: [tidy, '{@route}'] }",
    ]
    static let policies = [
        "{ user: self }", "{ group: 0 }", "{ executable: /bin/sh }", "{ app: { ids: a.b.C, advisory: true } }",
        "{ source: a }", "{ origin: socket }", "{ rate: 1/s }", "{ require: a }", "{ exec: [may, '{@uid}'] }",
        "{ confirm: [ask, '{@origin}'] }", "{ confirm: { exec: [ask], timeout: 5s } }",
    ]
    static let stages = middleware.map { ("middleware", $0) } + policies.map { ("policies", $0) }

    @Test(arguments: stages)
    func aStageStandsAnywhere(kind: String, stage: String) {
        let routes = "routes: [{ route: /a, respond: }]"
        let places = [
            "\(kind): [\(stage)]\n\(routes)", "routes: [{ route: /a, \(kind): [\(stage)], respond: }]",
            "routes: [{ group: { \(kind): [\(stage)], routes: [{ route: /a, respond: }] } }]",
            "routes: [{ group: { \(kind): [\(stage)], routes: [] } }]",
            "define: { \(kind): { own: \(stage) } }\n\(routes)",
            "define: { \(kind): { own: [\(stage), \(stage)] } }\n\(kind): [own]\n\(routes)",
        ]
        for place in places { #expect(Configured.faults(of: "schemes: [notes]\n\(place)\n") == [], "\(place)") }
    }

    @Test func whatNoRouteUsesMayNameWhatARouteHas() {
        let definition = "schemes: [notes]\ndefine: { policies: { own: { confirm: [ask, '{id}'] } } }\n"
        #expect(Configured.faults(of: definition + "routes: [{ route: /a, respond: }]\n") == [])
        #expect(Configured.faults(of: definition + "routes: [{ route: '/a/:id', policies: [own], respond: }]\n") == [])
        let faults = Configured.faults(of: definition + "routes: [{ route: /a, policies: [own], respond: }]\n")
        #expect(faults.count == 1 && faults[0].hasPrefix("2:45: '{id}' can be absent"), "\(faults)")
    }
}
