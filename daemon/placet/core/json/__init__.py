"""JSON from outside: read only to a depth that later walks can bear, and JSON Schemas as trees."""
