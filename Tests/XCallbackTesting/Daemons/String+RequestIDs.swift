extension String {
    /// The text with the id of the documents' examples in the place of each id of a request, of which no two are the same.
    package var withExampleIDs: String {
        replacing(/"id":"[0-9a-z]{8}-[0-9]+"/, with: #""id":"7h3kq2vd-41""#)
    }
}
