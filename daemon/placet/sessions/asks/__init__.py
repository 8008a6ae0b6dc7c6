"""Permission requests and questions that wait for the user, in every process of the user."""
