"""What every page of the project is made of: board, evaluation curve, charts, colours, and how they become one file.

The runner's report and the engine's own page use it. It needs nothing but the standard library, and imports neither.
"""
