import Testing

struct DefinitionTests {
    static let faults: [(String, String)] = [
        (
            "define: { policies: { fast: { rate: soon }, mine: [{ user: self }, { requir: a }] } }",
            "2:37: expected a rate such as 10/s, 100/m or 5/h, found 'soon'\n"
                + "2:70: unknown policy 'requir'; did you mean 'require'?"
        ),
        (
            "define: { policies: { one: two, two: one } }",
            "2:28: 'two' is a definition itself: a definition can only use what is built in\n"
                + "2:38: 'one' is a definition itself: a definition can only use what is built in"
        ),
        ("define: { policy: {} }", "2:11: unknown key 'policy' in the definitions; did you mean 'policies'?"),
        ("define: { policies: [] }", "2:21: expected a mapping, found a list"),
    ]

    @Test(arguments: faults)
    func theFaultsOfAnUnusedDefinitionAreReported(text: String, faults: String) {
        #expect(Configured.faults(of: "schemes: [n]\n\(text)").joined(separator: "\n") == faults)
    }

    @Test func aFaultOfAUsedDefinitionIsReportedOnce() {
        let text = """
            schemes: [n]
            define: { policies: { fast: { rate: soon } } }
            policies: [fast]
            routes: [{ route: /a, respond: }, { route: /b, respond: , policies: fast }]
            """
        #expect(Configured.faults(of: text) == ["2:37: expected a rate such as 10/s, 100/m or 5/h, found 'soon'"])
    }
}
