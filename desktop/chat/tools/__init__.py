"""Tools in a turn: what a model may call, how its calls are read, checked, run and answered."""
