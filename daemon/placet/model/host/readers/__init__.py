"""Readers of providers' event streams: bytes in, pieces of an answer out. Need no litellm, no network."""
