"""Facts of models: the rows of the table of litellm, prices, efforts, and the models of servers on this machine."""
