import Testing
import XCallbackBuiltIns
import XCallbackRouter
import XCallbackWire

struct ExplanationHintTests {
    private static let routes = """
        - route: notes:/add
          input: { title: string, tags: { type: list, required: false } }
          respond: { title: "{title}" }
        - route: notes:/old/:title
          redirect: "notes:/add?titel={title}"
        - route: notes:/free
          respond:
        """

    static let hints: [(String, [String])] = [
        ("notes:/add?titel=x", ["parameter 'titel' is not declared; did you mean 'title'?"]),
        ("notes:/add?Title=x", ["parameter 'Title' is not declared; did you mean 'title'?"]),
        ("notes:/add?t%69tel=x#?tittle", ["parameter 'titel' is not declared; did you mean 'title'?"]),
        ("notes:/add?title=x&titel=y", []),
        ("notes:/add?title=x&tag=y", ["parameter 'tag' is not declared; did you mean 'tags'?"]),
        ("notes:/add?title=x&other=y", []),
        ("notes:/old/x", ["parameter 'titel' is not declared; did you mean 'title'?"]),
        ("notes:/free?x-sucess=app:/a", ["'x-sucess' is ignored; did you mean 'x-success'?"]),
        ("notes:/free?X-Error=app:/a", ["'X-Error' is ignored; did you mean 'x-error'?"]),
        ("notes:/free?x-anything=1", ["'x-anything' is ignored"]),
        ("notes:/free?xsuccess=app:/a", ["'xsuccess' is a parameter; did you mean 'x-success'?"]),
        ("notes:/free?x=1&y=2&x-success=app:/a", []), ("notes:/free", []), ("notes:/free?", []),
        ("notes:/no?titel=x", []),
        (
            "notes:/free?a=1&amp;dn=x&amp;dn=y&amp;=",
            [
                "'amp;dn' is from HTML, which writes '&' as '&amp;'; did you mean 'dn'?",
                "'amp;' is from HTML, which writes '&' as '&amp;'",
            ]
        ),
        ("notes:/free?x-succes=a&x-success=%", ["'x-succes' is ignored; did you mean 'x-success'?"]),
    ]

    @Test(arguments: hints)
    func namesThatHaveNoEffectAreHintedAt(url: String, expected: [String]) throws {
        let explanation = try Configured(routes: Self.routes).configuration.pipeline.explain(
            url.utf8.span, from: Configured.peer, origin: .socket)
        #expect(explanation.hints == expected)
        #expect(explanation.json()["hints"] == .texts(expected))
    }

    @Test func aLongListOfHintsIsCutAndNoValueIsReported() throws {
        let query = (0..<40).map { "x-\($0)=secret" }.joined(separator: "&")
        let explanation = try Configured(routes: Self.routes)
            .configuration.pipeline.explain("notes:/free?\(query)".utf8.span, from: Configured.peer, origin: .socket)
        #expect(explanation.hints.count == 16)
        #expect(!explanation.hints.joined().contains("secret"))
    }
}
