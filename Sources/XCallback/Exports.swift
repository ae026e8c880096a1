// One import provides the complete API for authors of applications.
@_exported public import XCallbackClient
@_exported public import XCallbackRouter
@_exported public import XCallbackURL
