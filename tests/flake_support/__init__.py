"""Tests that change their mind, found by repeating the suite on a machine that is kept busy: `make flakes N=10`."""
