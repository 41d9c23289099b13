"""The packages of the gRPC contract, named as the contract names them."""
