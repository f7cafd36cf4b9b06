"""A model reads the question beside each candidate and puts the best answers first."""
