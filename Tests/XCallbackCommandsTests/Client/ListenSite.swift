import Dispatch
import Synchronization
import XCallbackTesting

/// A daemon that delivers one request to whoever receives, or some events to whoever subscribes.
final class ListenSite: Sendable {
    /// Parameters of a request.
    static let items =
        #"{"name":"k-k","value":"1"},{"name":"list","value":"a"},{"name":"list","value":"b"}"#

    private let directory: TemporaryDirectory
    private let daemon: FakeDaemon
    private let state: State

    private final class State: Sendable {
        let response = Mutex<String?>(nil)
        let name = Mutex<String?>(nil)
        let isThere = DispatchSemaphore(value: 0)
    }

    /// The name that was received.
    var name: String? { state.name.withLock { $0 } }

    /// Listens.
    ///
    /// - Parameters:
    ///   - items: The parameters of the request.
    ///   - events: What subscribers get.
    /// - Throws: `TestFailure` if there is no socket.
    init(items: String = "", events: [String] = []) throws {
        directory = try TemporaryDirectory()
        let request =
            #"{"id":"7","url":"n:/a?k=1","route":"n:/:a","action":"/a","query":"k=1","fragment":"f","items":[\#(items)],"parameters":{"k-k":"1"},"#
            + #""source":null,"origin":"desktop","peer":{"uid":1,"gid":2,"pid":3},"data":{},"callbacks":{},"limit":60.0}"#
        let state = State()
        self.state = state
        daemon = try FakeDaemon(directory.path(of: "socket")) { _, message in
            func parameters(of method: String) -> String? {
                for more in ["", #","more":true"#] {
                    let start = #"{"method":"org.xcallback.Router.\#(method)"\#(more),"parameters":{"#
                    if message.hasPrefix(start) { return String(message.dropFirst(start.count).dropLast(2)) }
                }
                return nil
            }
            let begun = #"{"continues":true,"parameters":{}}"#
            if let receive = parameters(of: "Receive") {
                state.name.withLock { $0 = String(receive.dropFirst(#""name":""#.count).dropLast()) }
                return [begun, #"{"continues":true,"parameters":{"request":\#(request)}}"#]
            }
            if parameters(of: "Subscribe") != nil {
                return [begun] + events.map { #"{"continues":true,"parameters":{"event":\#($0)}}"# }
            }
            if parameters(of: "Retire") != nil { return ["{}"] }
            let prefix = #""id":"7","#
            if let response = parameters(of: "Respond"), response.hasPrefix(prefix) {
                state.response.withLock { $0 = String(response.dropFirst(prefix.count)) }
                state.isThere.signal()
                return ["{}"]
            }
            guard let published = parameters(of: "Publish") else { return nil }
            state.response.withLock { $0 = published }
            state.isThere.signal()
            return [#"{"parameters":{"reached":3}}"#]
        }
    }

    /// Starts the command.
    func start(_ arguments: [String], environment: [String]) throws -> SpawnedProgram {
        let socket = "XCALLBACK_SOCKET=\(directory.path(of: "socket"))"
        return try SpawnedProgram(
            "xcallback", arguments, environment: environment + [socket], in: directory.path)
    }

    /// Waits for the parameters of the response, without the request's name.
    func response() throws -> String? {
        _ = state.isThere.wait(timeout: .now() + .seconds(60))
        return state.response.withLock { $0 }
    }
}
