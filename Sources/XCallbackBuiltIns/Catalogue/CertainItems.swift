import XCallbackPipeline
import XCallbackPrograms

/// A handler whose success has items that are known before it runs.
protocol HandlerOfCertainItems {
    /// The items; nil if they are not known after all.
    var certainItems: [ReturnedItem]? { get }
}

extension Route.HandlerStage {
    /// What a success has, if nothing but the configuration decides on that; nil if it is not known.
    var certainItems: [ReturnedItem]? {
        switch self {
        case .immediate(let handler as any HandlerOfCertainItems): handler.certainItems
        case .asynchronous(let handler as any HandlerOfCertainItems): handler.certainItems
        case .immediate, .asynchronous, .delivering: nil
        }
    }
}
