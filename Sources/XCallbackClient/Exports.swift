// What the client's interface is made of comes with it.
@_exported public import XCallbackPipeline
@_exported public import XCallbackURL
