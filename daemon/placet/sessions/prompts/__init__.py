"""Commands and completion in a prompt that the user writes."""
