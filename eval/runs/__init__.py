"""Runs: kept, compared, shown. Those that RESULTS.md is made from lie beside the code."""
