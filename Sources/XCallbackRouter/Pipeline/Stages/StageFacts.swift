package import XCallbackURL

/// What the rest of a configuration must know about a stage: its claims on requests, and its changes to them.
///
/// A stage states only what differs from the defaults. A property that stays at its default claims nothing.
package struct StageFacts: Sendable {
    /// Whether it reads or changes the parameters of requests.
    ///
    /// If no stage of a route does, and the route declares no input, the parameters stay empty.
    package var usesParameters = true
    /// Whether it runs a program for each request.
    package var runsProgram = false
    /// Whether a handler may do something besides the answer, as one does that does not state otherwise.
    package var acts = true
    /// Whether it checks only the client itself, so that it can also decide which clients may receive, and which see the route.
    package var checksOnlyClient = false
    /// Whether each web page passes at some time, as it does a check of the user, in whose name the desktop passes on its URLs.
    package var passesWebPages = false
    /// Whether an async policy inspects the peer's process, and so runs in its turn, before the input is decoded.
    package var inspectsPeer = false
    /// Whether it asks the user.
    package var asksUser = false
    /// The origins whose requests can pass.
    package var acceptsOrigins = OriginSet.all
    /// The origins whose requests pass without a check.
    package var ignoresOrigins: OriginSet = []
    /// The secret that a parameter must contain, which no other stage sees.
    package var secret: Secret?
    /// The name that it delivers to, or the topic that it publishes to.
    package var clientName: String?
    /// The URLs to which it sends requests.
    package var redirect: Redirect?
    /// The response, if it is the same for all requests: then the handler is not called.
    package var constantResponse: Response?
    /// The items of a success; nil if unknown.
    package var returns: [ReturnedItem]?

    /// Creates facts: those that a function states, and otherwise none.
    package init(_ state: (inout StageFacts) -> Void = { _ in }) { state(&self) }
}

extension StageFacts {
    /// The URLs to which a handler sends requests.
    package struct Redirect: Sendable {
        /// The scheme of the URLs, in lower case.
        package var scheme: String
        /// The URL without its query, if it is the same for all requests.
        package var target: Callback?
        /// Whether free text of a request decides which action it leads to.
        package var isFree: Bool

        /// Creates the facts about a redirect.
        package init(to scheme: String, target: Callback?, isFree: Bool) {
            self.scheme = scheme
            self.target = target
            self.isFree = isFree
        }
    }
}

/// An item in the success of a route.
package struct ReturnedItem: Hashable, Sendable {
    /// The name.
    package let name: String
    /// The type of the values; nil if unknown.
    package var type: ParameterType?
    /// Whether the item can repeat.
    package var isList = false
    /// Whether every success has the item.
    package var isRequired = true
    /// Whether no history may have its values.
    package var isSecret = false
    /// The meaning of the item.
    package var description: String?

    /// Creates an item.
    package init(name: String, type: ParameterType? = nil, isRequired: Bool = true) {
        self.name = name
        self.type = type
        self.isRequired = isRequired
    }
}

/// What a stage would do to a request, for `explain`; only for readers who may see the configuration.
package struct StagePlan: Sendable {
    /// A few words for people; empty if the name of the stage says it all.
    package var text = ""
    /// The program that would run, with its arguments.
    package var command: [String]?
    /// The response, if the stage certainly ends the request with it.
    package var response: Response?
    /// Whether the stage is a policy that certainly lets the request continue.
    package var isPassed = false

    /// Creates a plan.
    package init(
        _ text: String = "", command: [String]? = nil, response: Response? = nil, isPassed: Bool = false
    ) {
        self.text = text
        self.command = command
        self.response = response
        self.isPassed = isPassed
    }
}
