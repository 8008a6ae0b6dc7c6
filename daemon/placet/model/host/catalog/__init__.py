"""Facts of models: sizes, prices, efforts, and the models of servers on this machine."""
