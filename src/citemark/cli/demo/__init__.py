"""`citemark demo`: ten short documents of a bakery, which come with the package, and three questions about them."""
