"""Workers on this machine: a pool of concurrent.futures, each of whose tasks runs in processes of its own."""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from placet.fleet.results import Result
from placet.fleet.work import Order, place_failed, work_on


class _Running:
    """Running tasks, to be cancelled together; lives as long as the pool."""

    def __init__(self) -> None:
        self._tasks: dict[asyncio.Task[Result], asyncio.AbstractEventLoop] = {}
        self._is_stopped = False

    def work(self, order: Order) -> Result | None:
        """Do the task; None if all tasks were cancelled."""

        async def watched() -> Result | None:
            task = asyncio.ensure_future(work_on(order))
            self._tasks[task] = asyncio.get_running_loop()
            if self._is_stopped:
                task.cancel()
            try:
                return await task
            except asyncio.CancelledError:
                return None
            finally:
                del self._tasks[task]

        return None if self._is_stopped else asyncio.run(watched())

    def stop(self) -> None:
        self._is_stopped = True
        for task, loop in list(self._tasks.items()):
            loop.call_soon_threadsafe(task.cancel)


def run_local(orders: Sequence[Order], workers: int) -> Iterator[Result]:
    """Yield the results as the tasks end. An end of the iteration before the last result stops the running tasks.

    A thread of the pool only waits for the processes of its task: these processes do the work, and
    a killed process harms no other task.
    """
    running = _Running()
    with ThreadPoolExecutor(workers, thread_name_prefix="fleet") as pool:
        futures: dict[Future[Result | None], Order] = {pool.submit(running.work, order): order for order in orders}
        try:
            for future in as_completed(futures):
                if (result := _result(future, futures[future])) is not None:
                    yield result
        finally:
            running.stop()
            pool.shutdown(wait=True, cancel_futures=True)


def _result(future: Future[Result | None], order: Order) -> Result | None:
    """Return the result of the ended task; a task that fails unforeseen, as on a full disk, harms no other task."""
    try:
        return future.result()
    except Exception as error:  # noqa: BLE001 - the edge of a worker, as Ray has it for its own workers
        return place_failed(order, "worker", str(error) or type(error).__name__)
