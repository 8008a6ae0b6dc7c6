"""Proposal and application of a change: compared, asked about, applied, verified and reported."""
