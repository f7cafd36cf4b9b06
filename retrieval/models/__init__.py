"""The models that come with Folio, the code that runs them, and the scripts that build them."""
