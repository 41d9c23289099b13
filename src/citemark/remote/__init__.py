"""HTTP as all clients of other machines use it: connections, addresses, proxies, JSON interfaces."""
