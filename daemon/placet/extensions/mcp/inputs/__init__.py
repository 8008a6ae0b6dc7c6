"""Values that the user gives for the references `${input:ID}` of a server, before the server starts."""
