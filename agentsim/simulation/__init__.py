"""Playing experiments: plan, workers, logs, resume.

:func:`simulate` plays an experiment and keeps it in a folder if one is given; :func:`resume` and :func:`extend`
continue such a run; :func:`estimate` says beforehand what it will take. :mod:`agentsim.runs` opens what was written.
"""

from agentsim.simulation.estimates import Estimate, estimate
from agentsim.simulation.plan import Span
from agentsim.simulation.progress import Progress, ProgressBar, ProgressCallback
from agentsim.simulation.run import Backend, RunResult, extend, resume, simulate

__all__ = ["Backend", "Estimate", "Progress", "ProgressBar", "ProgressCallback", "RunResult", "Span", "estimate",
           "extend", "resume", "simulate"]
