/// A client's request, and the right answer.
struct LoneQuestion: Sendable {
    let request: [UInt8]
    /// The beginning of the answer; the rest is unique to a request.
    let reply: [UInt8]

    /// Creates a question; request and answer end as their dialect requires.
    init(_ request: String, reply: String) {
        self.request = Array(request.utf8)
        self.reply = Array(reply.utf8)
    }

    private static let answer = "xcallback://x-callback-url/success"

    /// A line.
    static let ping = Self("near:/ping\n", reply: answer + "?pong=yes\n")

    /// The same in Varlink, as `xcallback handle` sends it for the desktop.
    static let pingOfDesktop = Self(
        #"{"method":"org.xcallback.Router.Open","parameters":{"url":"near:/ping","origin":"desktop"}}"# + "\0",
        reply: #"{"parameters":{"outcome":"success","answer":"\#(answer)?pong=yes","#
            + #""items":[{"name":"pong","value":"yes"}],"code":null,"message":null,"by":"handler","open":null,"id":"#
    )

    /// A line whose handler is a program that ends immediately.
    static let program = Self("near:/program\n", reply: answer + "\n")
}
