import Testing

/// Placeholders as other template languages, shells and patterns write them.
struct TemplateMistakeTests {
    private static func respond(_ text: String, _ message: String) -> CommonMistake {
        .route("respond: { x: \"\(text)\" }", message, "respond: { x: \"{id}\" }", "x=7")
    }

    private static let hint = "a placeholder '{id}'"

    static let mistakes: [CommonMistake] = [
        respond("${id}", hint), respond("%{id}", hint), respond("<id>", hint), respond("{{id}}", hint),
        respond(":id", hint), respond("$id", hint), respond("{id?}", "did you mean '{id}'?"),
        respond("{:id}", "did you mean '{id}'?"), respond("{@id}", "did you mean '{id}'?"),
        respond("{ id }", "is not a placeholder"), respond("{params['id']}", "is not a placeholder"),
        .route("respond: { x: 'Note :id!' }", "':id!' is text; ", "respond: { x: 'Note {id}!' }", "x=Note 7!"),
        .route("exec: [echo, '${id}']", hint, "exec: [echo, '{id}']"),
        CommonMistake(
            "- route: /a/:id\n  policies: [{ confirm: 'Delete ${id}?' }]\n  respond:", hint,
            "- route: /a/:id\n  policies: [{ confirm: 'Delete {id}?' }]\n  respond:"),
    ]

    @Test(arguments: mistakes)
    func aPlaceholderOfAnotherLanguageLeadsToItsFix(mistake: CommonMistake) throws { try mistake.check() }

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
