"""The models that come with Folio, and the code that runs them."""
