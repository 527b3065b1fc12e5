"""How fast, how large, how well shared out: every figure beside its target. Run ``make bench``.

Each section is a module with a function ``run(options)`` that yields lines as they are measured. A line has the median
of its repetitions, their range, their number and, where there is one, the target and whether it was met. Targets are
for a quiet machine with two processors.
"""
