import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackRouter

struct RespondHandlerTests {
    static let templates: [(items: String, rest: String, result: String)] = [
        ("{ a: b, c: '1' }", "", "a=b|c=1"), ("", "", ""), ("{}", "", ""), ("{ a: '' }", "", "a="),
        ("{ pong: '{name}' }", "?name=x%20y", "pong=x y"), ("{ pong: '{name}', z: 1 }", "", "z=1"),
        ("{ pong: '{name}' }", "?name", "pong"), ("{ pong: '{name}' }", "?name=", "pong="),
        ("{ pong: 'hi {name}!' }", "", "pong=hi !"), ("{ pong: 'hi {name}!' }", "?name=x", "pong=hi x!"),
        ("{ pong: '{name}{other}' }", "", "pong="), ("{ p: '{id}' }", "/7?id=8", "p=7"),
        ("{ p: '{{{id}}}' }", "/7", "p={7}"), ("{ p: '{{id}}' }", "/7", "p={id}"), ("{ p: '}}{{' }", "", "p=}{"),
        ("{ p: '{tags}' }", "?tags=a,b&tags=c", "p=a|p=b|p=c"), ("{ p: '({tags})' }", "?tags=a,b", "p=(a,b)"),
        ("{ p: '{tags}', q: 1 }", "", "q=1"), ("{ p: ['{id}', x, '{id}'] }", "/7", "p=7|p=x|p=7"),
        ("{ p: '{name}' }", "?name=a&name=b", "p=a|p=b"), ("{ p: '{naïve name}' }", "?na%C3%AFve%20name=1", "p=1"),
        ("{ o: '{@origin}', u: '{@uid}', r: '{@route}' }", "", "o=socket|u=1000|r=notes:/a{/:id}"),
        ("{ a: '{@action}', q: '{@query}' }", "/%2fb/?q=%26&X-a=1&&q", "a=/a/%2Fb|q=q=%26&q"),
        ("{ a: '<{@action}>', q: '{@query}' }", "?x-source=b#c", "a=</a>|q="),
        ("{ u: '{@url}' }", "?q=%26", "u=notes:/a?q=%26"), ("{ s: '{@source}' }", "?x-source=app%20one", "s=app one"),
        ("{ s: '{@source}' }", "", ""), ("{ s: '<{@source}>' }", "", "s=<>"),
        ("{ d: '{@data.k}', e: 'x{@data.k}' }", "", "e=x"),
        ("{ p: '{name}' }", "?name&name=a&name=", "p|p=a|p="), ("{ p: 'x{name}' }", "?name", "p=x"),
        ("{ p: '{tags}', q: '({tags})' }", "?tags", "p|q=()"), ("{ p: '{tags}' }", "?tags=", "p="),
        ("{ p: 'x{name}' }", "?name=a&name=b", "422 Parameter 'name' is given more than once."),
        ("{ p: '{name}{id}' }", "?name=a&name", "422 Parameter 'name' is given more than once."),
        ("{ p: [], q: [a, ''] }", "", "p|q=a|q="),
        ("{ a b: 'é\\n' }", "", "a b=é\\n"),
    ]

    @Test(arguments: templates)
    func aResponseIsFilledFromTheRequest(items: String, rest: String, result: String) throws {
        var router = try Configured(
            routes: """
                - route: notes:/a{/:id}
                  input: { tags: { type: list, required: false } }
                  respond: \(items)
                """)
        expect(try router.result(of: "notes:/a\(rest)"), equals: result)
    }

    static let faults: [(String, String)] = [
        ("{ x-a: b }", "4:14: an item of a response cannot be called 'x-a'"),
        ("{ X-A: b }", "4:14: an item of a response cannot be called 'X-A'"),
        ("{ '': b }", "4:14: an item of a response cannot be called ''"),
        ("{ a: '{b' }", "4:17: a '{' without its '}' in a template: write '{{' for a brace"),
        ("{ a: 'b}' }", "4:17: a '}' without its '{' in a template: write '}}' for a brace"),
        ("{ a: '{}' }", "4:17: a placeholder without a name in a template: write '{{}}' for braces"),
        ("{ a: '{@orign}' }", "4:17: unknown fact '{@orign}'; did you mean '@origin'?"),
        ("{ a: '{x-success}' }", "4:17: '{x-success}' belongs to the protocol and never reaches a handler"),
        ("{ a: { b: c } }", "4:17: expected text, found a mapping"),
        ("[a]", "4:12: expected a mapping for the items of a response such as { text: Hello }, found a list"),
    ]

    @Test(arguments: faults)
    func aResponseThatCannotBeMeantIsAFault(items: String, fault: String) {
        #expect(Configured.faults(of: "schemes: [notes]\nroutes:\n- route: /a\n  respond: \(items)\n") == [fault])
    }

    @Test func aStrictRouteKnowsItsParameters() {
        let text = """
            schemes: [notes]
            routes:
            - route: /a/:id
              strict: true
              input: { name: string }
              respond: { a: "{id}{name}", b: "{nane}" }
            """
        #expect(
            Configured.faults(of: text) == [
                "6:34: this route has no parameter '{nane}'; did you mean 'name'?"
            ])
    }
}
