// The types in the client's interface are exported with it.
@_exported public import XCallbackRouter
@_exported public import XCallbackURL
