"""The declarations of the features. A maker loads the code of a service when it is called."""
