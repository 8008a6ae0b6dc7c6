"""An editor that is asked by many sessions at once and answers when it is told to, over the real front door.

`editor_end` speaks the wire; `work` is what the sessions are asked to do and when it must be done; `standing` is one
ask without a wire.
"""
