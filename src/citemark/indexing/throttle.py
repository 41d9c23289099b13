"""Threads that yield the processor to everything else."""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

_LOWEST = 19


def nice_pool(workers: int) -> ThreadPoolExecutor:
    """A pool whose threads run at the lowest priority, where the system has one per thread (Linux)."""
    return ThreadPoolExecutor(workers, thread_name_prefix="citemark-index", initializer=_lower)


def _lower() -> None:
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _LOWEST)
