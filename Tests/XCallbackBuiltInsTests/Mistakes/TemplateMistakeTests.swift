import Testing

/// Placeholders as other template languages, shells and patterns write them.
struct TemplateMistakeTests {
    private static func respond(_ text: String, _ message: String) -> CommonMistake {
        .route("respond: { x: \"\(text)\" }", message, "respond: { x: \"{id}\" }", "x=7")
    }

    static let mistakes: [CommonMistake] = [
        respond("${id}", "write a placeholder as '{id}'"),
        respond("%{id}", "write a placeholder as '{id}'"),
        respond("<id>", "write a placeholder as '{id}'"),
        respond("{params.id}", "did you mean '{id}'?"),
        respond("{req.params.id}", "did you mean '{id}'?"),
        respond("{params['id']}", "write '{id}'"),
        respond("{{id}}", "write a placeholder as '{id}'"),
        respond("{{ id }}", "write a placeholder as '{id}'"),
        respond("{{params.id}}", "write a placeholder as '{id}'"),
        respond("{{.id}}", "write a placeholder as '{id}'"),
        respond("{{ id | upper }}", "write a placeholder as '{id}'"),
        respond("${{id}}", "write a placeholder as '{id}'"),
        respond("{id:int}", "did you mean '{id}'?"),
        respond("{:id}", "did you mean '{id}'?"),
        respond("{id?}", "did you mean '{id}'?"),
        respond("{ id }", "write '{id}'"),
        respond("{$id}", "write '{id}'"),
        respond("{1}", "did you mean '{id}'?"),
        respond("{@id}", "did you mean '{id}'?"),
        respond(":id", "write a placeholder as '{id}'"),
        respond("$id", "write a placeholder as '{id}'"),
        .route(
            "respond: { x: 'Note :id!' }", "':id' is literal text: write a placeholder as '{id}'",
            "respond: { x: 'Note {id}!' }", "x=Note 7!"),
        .route("redirect: 'app:/b/$1'", "write a placeholder as '{id}'", "redirect: 'app:/b/{id}'"),
        .route("redirect: 'app:/b?x=$1'", "write a placeholder as '{id}'", "redirect: 'app:/b?x={id}'"),
        .route("exec: [echo, '{params.id}']", "did you mean '{id}'?", "exec: [echo, '{id}']"),
        .route("exec: [echo, '${id}']", "write a placeholder as '{id}'", "exec: [echo, '{id}']"),
        CommonMistake(
            "- route: /a/:id\n  policies: [{ confirm: 'Delete ${id}?' }]\n  respond:",
            "write a placeholder as '{id}'",
            "- route: /a/:id\n  policies: [{ confirm: 'Delete {id}?' }]\n  respond:"),
    ]

    @Test(arguments: mistakes)
    func aPlaceholderOfAnotherLanguageLeadsToItsMend(mistake: CommonMistake) throws { try mistake.check() }

    @Test(arguments: [
        "respond: { x: '${{HOME}} %{other} <b> $1 5% :other' }", "respond: { x: '<id>{id}</id>', y: '<id/>' }",
        "respond: { x: '100%{id}', y: '{{\"id\": {id}}}', z: '{{id: 5}}' }", "respond: { x: 'Issue #{id}' }",
        "redirect: 'app:/b#{id}'", "redirect: 'app:/b/$2'", "exec: [sh, -c, 'echo ${{HOME}}']",
        "respond: { x: '{user.id}{other}' }",
    ])
    func whatIsLikelyMeantAsItStandsIsNotWarnedOf(handler: String) {
        #expect(CommonMistake.told(of: "schemes: [notes]\nroutes:\n- route: /a/:id\n  \(handler)\n") == [])
    }
}
