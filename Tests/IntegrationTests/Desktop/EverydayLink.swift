import XCallbackTesting

/// A link as mail, chats and documents contain it, and the browser that the example's rules choose for it.
struct EverydayLink {
    /// The link, byte for byte.
    let url: String
    /// The command of the browser, without the link.
    let browser: String

    /// Links that a chooser can damage: all of them are common.
    static let difficult: [EverydayLink] = [
        "https://example.org/guide#part-2", "https://example.org/docs/", "http://localhost:3000/",
        "https://example.org",
        "https://files.example.org/a.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260101T000000Z&X-Amz-Signature=0aF9",
        "https://web.archive.org/web/2020/https://example.org/a//b?c=d",
        "https://Example.Org:8443/Path/README.md?Q=A#Top",
        "https://example.org/r?to=https%3A%2F%2Fother.example%2F%3Fa%3Db&x-success=app:done",
        "https://ann@example.org/",
    ].map { EverydayLink(url: $0, browser: "firefox") }

    /// Creates a link of a random shape.
    init(_ random: inout SeededGenerator) {
        func pick(_ texts: [String]) -> String { texts[random.below(texts.count)] }
        let place = Self.places[random.below(Self.places.count)]
        var path = place.path
        for _ in 0..<random.below(4) { path += "/" + pick(Self.segments) }
        if random.below(3) == 0 { path += "/" }
        if random.below(10) == 0 { path += "/" + pick(Self.nested) }
        var query = ""
        for number in 0..<random.below(4) { query += (number == 0 ? "?" : "&") + pick(Self.items) }
        let port = random.below(6) == 0 ? pick([":443", ":8080", ":3000", ":"]) : ""
        let fragment = random.below(3) == 0 ? "#" + pick(Self.fragments) : ""
        let host = random.below(5) == 0 ? place.host.uppercased() : place.host
        let scheme = place.isSecure ? pick(["https", "https", "https", "HTTPS"]) : "http"
        url = "\(scheme)://\(host)\(port)\(path)\(query)\(fragment)"
        browser = place.browser
    }

    private init(url: String, browser: String) {
        self.url = url
        self.browser = browser
    }

    private static let places: [(isSecure: Bool, host: String, path: String, browser: String)] = [
        (true, "github.com", "/acme", "firefox -P work"), (true, "github.com", "/swiftlang/swift", "firefox"),
        (true, "wiki.acme.example", "", "firefox -P work"), (true, "a.b.acme.example", "", "firefox -P work"),
        (true, "acme.example", "", "firefox"), (true, "acme.example.evil.example", "", "firefox"),
        (true, "meet.example.org", "", "chromium --new-window"), (true, "example.org", "/github.com/acme", "firefox"),
        (false, "github.com", "/acme", "firefox"), (false, "192.0.2.7", "", "firefox"),
        (false, "[2001:db8::7]", "", "firefox"),
        (true, "xn--bcher-kva.example", "", "firefox"), (true, "web.archive.org", "/web/2020id_", "firefox"),
        (true, "s3.eu-west-1.amazonaws.com", "/bucket", "firefox"),
    ]
    private static let segments = [
        "issues", "7", "README.md", "a%20b", "%E2%82%AC", "caf\u{E9}", "a+b", "@me", "~ann", "x;v=1", "100%25", "(1)",
        "a,b",
        "-", "", "%2F", "A-Z_a.z", "q|r", "{id}", "*", "$(id)", "it's",
    ]
    private static let nested = ["https://example.org/a//b/", "http://[::1]:80/", "https:/example.org"]
    private static let items = [
        "q=a+b", "q=%22x%22", "page=2", "utm_source=mail", "X-Amz-Signature=0aF9%2B%2F%3D", "x-success=app:done",
        "flag", "e=",
        "=v", "u=https://example.org/?a=b", "j={\"a\":[1]}", "a[]=1", "p=100%", "t=\u{65E5}\u{672C}", "s=$(id);`id`",
        "b=%5C\\",
    ]
    private static let fragments = ["top", "/route/7?x=1", ":~:text=a%20b", "L10-L20", "", "a#b", "\u{FC}"]
}
