"""The pages of the group “Answers”."""
