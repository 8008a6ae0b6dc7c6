"""Keys and logins of model providers: stored, refreshed, and handed to the model host."""
