"""One game between two processes: starting, asking, timing and ending brains as a manager does, and the referee."""
