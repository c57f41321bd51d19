"""Knowledge bases: files in, passages out.

    reader process          worker process                      program
    load → split → terms ─▶ store (SQLite) → embed → vectors ─▶ client ─▶ chat
                            keyword leg ┐
                            vector leg  ┴▶ fuse → join

`client` is what the rest of the program talks to; it starts `worker`, which starts `reader`. Nothing
heavy is imported outside of these two processes.
"""
