"""What every room shares: constants, value types, the records' layout, notation. Imports no other room."""
