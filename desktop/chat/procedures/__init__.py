"""What takes the place of an ordinary answer: shown while it runs, steered, stopped and resumed."""
