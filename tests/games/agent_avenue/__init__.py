"""The rules, policies and kernels of Agent Avenue, against the rules page and against the second engine."""
