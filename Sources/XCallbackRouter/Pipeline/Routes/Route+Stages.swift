extension Route {
    /// A stage that changes requests.
    package enum MiddlewareStage: Sendable {
        case immediate(any Middleware)
        case asynchronous(any HostedMiddleware)

        /// The stage, whatever its kind.
        package var planned: any Stage {
            switch self {
            case .immediate(let stage): stage
            case .asynchronous(let stage): stage
            }
        }
    }

    /// A stage that rejects requests.
    package enum PolicyStage: Sendable {
        case immediate(any ImmediatePolicy)
        case asynchronous(any AsyncPolicy)

        /// The stage, whatever its kind.
        package var planned: any Stage {
            switch self {
            case .immediate(let stage): stage
            case .asynchronous(let stage): stage
            }
        }
    }

    /// The stage that performs the action.
    package enum HandlerStage: Sendable {
        case immediate(any Handler)
        case asynchronous(any HostedHandler)
        case delivering(any DeliveringHandler)

        /// The stage, whatever its kind.
        package var planned: any Stage {
            switch self {
            case .immediate(let stage): stage
            case .asynchronous(let stage): stage
            case .delivering(let stage): stage
            }
        }
    }

    /// How the requests of a route are answered, beside its stages.
    package struct Settings: Sendable {
        /// Whether `+` in the query stands for a space.
        package var readsForms = false
        /// Whether the history keeps its requests.
        package var isRecorded = true
        /// The items of a success that no history may keep.
        package var secretItems: [String] = []
        /// Whether a link that lacks values asks the user for them.
        package var asks = false
        /// The folder of the files that links and assistants may name, as an absolute path; nil for none.
        package var folder: String?
        /// Whether the lines that its program writes to standard error are progress.
        package var reportsProgress = false
        /// The time limit of all async stages together; nil for the daemon's limit.
        package var timeout: Duration?
        /// The time limit of a stage from its start, or from the last progress; nil for none.
        package var idleTimeout: Duration?
        /// Returns the text that the desktop shows after a success, if there is one.
        package var notice: (@Sendable (Request) -> String?)?
    }

    /// The stages of a route, in the order of a request.
    package struct Stages: Sendable {
        /// The stages that change the request, in this order.
        package var middleware: [NamedStage<MiddlewareStage>] = []
        /// The stages that can reject the request; the first rejection ends it.
        package var policies: [NamedStage<PolicyStage>] = []
        /// Other secrets to hide, if no policy of the route checks them.
        package var hiddenSecrets: [Secret] = []
        /// The declared parameters.
        package var input = Input([])
        /// The stage that decodes the input if that can wait: for a user, or for a disk.
        package var waitingInput: (any HostedMiddleware)?
        /// The policies that ask the user or a program before the action.
        package var asyncPolicies: [NamedStage<any AsyncPolicy>] = []
        /// The stage that performs the action.
        package var handler: NamedStage<HandlerStage>
        /// The conditions for clients other than those of the daemon's user and of root to receive the handler's
        /// requests; empty if no others may, nil if the handler sends none to clients.
        package var receivers: [PolicyStage]?
        /// How requests are answered beside the stages.
        package var settings = Settings()

        /// Creates a chain that has only a handler.
        package init(handler: NamedStage<HandlerStage>) {
            self.handler = handler
        }

        /// Creates a chain that has only a handler without a name.
        package init(handler: HandlerStage) {
            self.init(handler: NamedStage(handler))
        }

        /// The facts about all policies, with the policies' names, in the order in which they run.
        package var policyFacts: [(name: String, facts: StageFacts)] {
            policies.map { ($0.name, $0.facts) } + asyncPolicies.map { ($0.name, $0.facts) }
        }

        /// Adds a policy at its place: one that asks runs after the input is decoded.
        package mutating func add(_ policy: NamedStage<PolicyStage>) {
            if case .asynchronous(let stage) = policy.stage, !policy.facts.inspectsPeer {
                asyncPolicies.append(NamedStage(stage, name: policy.name, facts: policy.facts))
            } else {
                policies.append(policy)
            }
        }
    }
}

/// A stage with its name in the configuration, and the facts about it.
package struct NamedStage<Stage: Sendable>: Sendable {
    /// The stage.
    package let stage: Stage
    /// The stage's name in the configuration; empty for a stage that a program defines.
    package let name: String
    /// What the rest of the configuration must know about it.
    package let facts: StageFacts

    /// Creates a stage.
    package init(_ stage: Stage, name: String = "", facts: StageFacts = StageFacts()) {
        self.stage = stage
        self.name = name
        self.facts = facts
    }
}
