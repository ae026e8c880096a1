import XCallbackPipeline
import XCallbackPrograms

/// A handler that can list the items of a success before it runs.
protocol HandlerOfCertainItems {
    /// The items; nil if unknown.
    var certainItems: [ReturnedItem]? { get }
}

extension Route.HandlerStage {
    /// The items of a success, if only the configuration determines them; nil if unknown.
    var certainItems: [ReturnedItem]? {
        switch self {
        case .immediate(let handler as any HandlerOfCertainItems): handler.certainItems
        case .asynchronous(let handler as any HandlerOfCertainItems): handler.certainItems
        case .immediate, .asynchronous, .delivering: nil
        }
    }
}
