"""HTTP for every client of other machines: connections, addresses, proxies, JSON APIs."""
