"""The Python code of the gRPC contract in `proto/`, made by `make proto`; programs import their stubs from here."""
