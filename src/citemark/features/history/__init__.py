"""States that have names, what differs between two states, and how long superseded texts are kept."""
