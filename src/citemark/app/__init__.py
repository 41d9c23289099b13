"""The composition root: the only package that imports every other one."""
