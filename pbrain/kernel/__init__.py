"""Everything that numba compiles. Importing a module of this package compiles it; the engine never does."""
