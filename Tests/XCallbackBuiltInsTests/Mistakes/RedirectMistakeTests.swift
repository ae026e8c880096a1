import Testing

/// Redirects that can never lead to an answer.
struct RedirectMistakeTests {
    private static let add = "- route: /add\n  input: { title: string }\n  respond:\n"

    static let mistakes: [CommonMistake] = [
        .route(
            "redirect: \"notes:/a/{id}\"", "leads to its own route, and never ends", "redirect: \"app:/a/{id}\""),
        CommonMistake(
            "- route: /b\n  redirect: notes:/b?x=1", "leads to its own route, and never ends",
            "- route: /b\n  redirect: app:/b?x=1"),
        CommonMistake(
            "- route: /b\n  redirect: notes:/c\n- route: /c\n  redirect: notes:/b",
            "leads back to its own route by way of 'notes:/c'",
            "- route: /b\n  redirect: notes:/c\n- route: /c\n  respond:"),
        CommonMistake(
            add + "- route: /new\n  redirect: notes:/add", "add '?title={title}'",
            add + "- route: /new\n  redirect: \"notes:/add?title={title}\""),
        CommonMistake(
            add + "- route: /new\n  redirect: notes:/add?x=1", "add '&title={title}'",
            add + "- route: /new\n  redirect: \"notes:/add?x=1&title={title}\""),
        .route("redirect: note:/a", "did you mean 'notes'?", "redirect: notes://b\n- route: /b\n  respond:"),
    ]

    private static func led(_ input: String, _ keys: String = "") -> String {
        "- { route: /old/:p, public: true, \(input)redirect: \"notes:/{p}\" }\n- { route: /a, \(keys)respond: }"
    }

    static let useless: [CommonMistake] = [
        CommonMistake(
            led(""),
            "so requests from the desktop reach only public routes, and none of 'notes' can answer: declare the "
                + "parameter as enum, int, uuid or bool, or make the targets public", led("", "public: true, ")),
        CommonMistake(
            led("input: { p: { type: string, charset: a-z } }, "), "declare the parameter as enum",
            led("input: { p: { type: enum, values: [a] } }, ")),
        CommonMistake(
            led("").replacing("{p}", with: "{@source}"), "make the targets public",
            led("", "public: true, ").replacing("{p}", with: "{@source}")),
        CommonMistake(
            led("").replacing("public: true,", with: "agent: true, description: d,"),
            "so assistants reach only routes with 'agent', and none of 'notes' can answer: declare the parameter as enum, "
                + "int, uuid or bool, or add 'agent' to the targets",
            led("input: { p: { description: d } }, ", "agent: true, description: d, ").replacing(
                "public: true,", with: "agent: true, description: d,")),
    ]

    @Test(arguments: useless)
    func aRedirectByTextThatReachesNothingLeadsToItsFix(mistake: CommonMistake) throws { try mistake.check() }

    @Test(arguments: mistakes)
    func aRedirectThatLeadsNowhereLeadsToItsFix(mistake: CommonMistake) throws { try mistake.check() }

    static let sound: [String] = [
        "- route: /a/:id\n  redirect: \"notes:/a/{id}/b\"\n- route: /a/:id/b\n  respond:",
        "- route: /b\n  redirect: notes:/c\n  middleware: [{ exec: [ls] }]\n- route: /c\n  redirect: notes:/b",
        "- route: /a\n  redirect: notes:/t?title.0=x\n- route: /t\n  input: { title: list }\n  respond:",
        "- route: /a\n  redirect: notes:/t?t=x\n- route: /t\n  input: { title: string }\n  middleware: [{ rename: { t: title } }]\n  respond:",
        led("").replacing("public: true, ", with: ""),
        "- { route: /old/:p, public: true, redirect: \"notes:/a?p={p}\" }\n- { route: /a, respond: }",
        "- { route: /old/:p, public: true, redirect: \"app:/{p}\" }\n- { route: /a, respond: }",
        "- route: /a\n  redirect: notes-beta:/x", "- route: /a\n  redirect: mailto:x",
    ]

    @Test(arguments: sound)
    func whatCanLeadSomewhereIsNotWarnedOf(routes: String) {
        #expect(CommonMistake.told(of: "schemes: [notes]\nroutes:\n\(routes)") == [])
    }

    @Test func aSchemeThatIsAllowedIsMeant() {
        let text = "schemes: [notes]\ncallbacks: { allow: [note] }\nroutes:\n- route: /a\n  redirect: note:/a\n"
        #expect(CommonMistake.told(of: text) == [])
    }
}
