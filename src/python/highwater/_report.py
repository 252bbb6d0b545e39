"""An answer, for programs and for people."""

import json
import os

from ._engine import Error, ask


class Report:
    """What a training step takes.

    data: the whole answer, as `highwater estimate` writes it. scenario: what was asked.
    All sizes are in bytes and of the steady step; `total` is that of the hungriest GPU as nvidia-smi shows it.
    """

    def __init__(self, scenario, folder=None, held=None):
        self.scenario = scenario
        self._folder = folder
        self._held = held  # a temporary folder lives as long as its report
        self.data = json.loads(ask(["estimate"], scenario, folder))
        unknown = [said["message"] for said in self.findings if said["message"].startswith("There is no key ")]
        if unknown:
            raise Error(" ".join(unknown))

    @property
    def fits(self):
        """Whether GPU memory and host RAM suffice."""
        return self.data["verdict"]["fits"]

    @property
    def total(self):
        """GPU memory at the peak, with what the allocator reserves and CUDA's context."""
        return self.data["device"]["total"]

    @property
    def capacity(self):
        """The GPU memory that is there for it."""
        return self.data["device"]["usable"]

    @property
    def host(self):
        """Host RAM at its peak."""
        return self.data["host"]["peak"]["total"]

    @property
    def peak(self):
        """The steady step's peak: `phase`, `peak_tensor`, `peak_allocated`, `peak_reserved`, `composition`."""
        return self.data["device"]["steady_step"]["peak"]

    @property
    def phase(self):
        """The phase of the peak, such as "backward"."""
        return self.peak["phase"]

    @property
    def tensors(self):
        """Live tensors at the peak, as they were asked for."""
        return self.peak["peak_tensor"]

    @property
    def allocated(self):
        """`torch.cuda.max_memory_allocated()`."""
        return self.peak["peak_allocated"]

    @property
    def reserved(self):
        """`torch.cuda.max_memory_reserved()`."""
        return self.peak["peak_reserved"]

    @property
    def parameters(self):
        """The number of parameters."""
        return self.data["model"]["num_parameters"]

    @property
    def findings(self):
        """What is to be said of the answer: dicts with `severity`, `key` and `message`."""
        return self.data["findings"]

    @property
    def link(self):
        """The page's address of this configuration: behind `HIGHWATER_URL`, or the query alone."""
        return os.environ.get("HIGHWATER_URL", "") + self._ask("estimate", "--link").strip()

    @property
    def svg(self):
        """The phases of a step as an SVG figure."""
        return self._ask("estimate", "--svg")

    def largest(self, axis="micro_batch_size"):
        """The largest value of a setting, or of a size of a graph, that fits; 0 where none does."""
        return next(iter(json.loads(self._ask("solve", "--for", axis)).values()))

    def again(self, **settings):
        """The report with other settings; a graph is not exported again."""
        from ._estimate import put

        scenario = json.loads(json.dumps(self.scenario))
        put(scenario, settings)
        return Report(scenario, self._folder, self._held)

    def __str__(self):
        return self._ask("estimate", "--table").rstrip("\n")

    def __repr__(self):
        verdict = "fits" if self.fits else "does not fit"
        of = f"{self.total / 2**30:.2f} of {self.capacity / 2**30:.2f} GiB"
        return f"<highwater.Report: {of} of GPU memory at {self.phase}, {verdict}>"

    def _repr_html_(self):
        from html import escape

        head = "<br>".join(escape(line) for line in str(self).splitlines()[:3])
        rest = f"<details><summary>All numbers</summary><pre>{escape(str(self))}</pre></details>"
        return f"<div><p>{head}</p>{self.svg}{rest}</div>"

    def _ask(self, *words):
        return ask(list(words), self.scenario, self._folder)
