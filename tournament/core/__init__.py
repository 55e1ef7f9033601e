"""What every room shares: value types, rules, openings, and the runner's own failures. Imports no other room."""
