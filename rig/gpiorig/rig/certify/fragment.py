"""What a virtual bench needs to be like the bench that was certified, as a part of its bench file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpiorig.rig.certify.causes import Cause
from gpiorig.rig.certify.fit import Fit

CLOCK = ".clock_ppb"


def text(causes: Sequence[Cause], fits: Mapping[str, Fit], *, bench: str) -> str:
    """The tables, with the residual of each row as a comment."""
    lines = [f"# Fitted by `gpiorig bench certify` to: {bench}."]
    for node, fit in fits.items():
        if fit.settings:
            lines += ["", f"[virtual.nodes.{node}.timing]"]
            lines += [f"{name} = {value}" for name, value in fit.settings.items()]
    for cause in causes:
        if cause.name.startswith("virtual.") and cause.name.endswith(CLOCK):
            lines += ["", f"[{cause.name.removesuffix(CLOCK)}] # ± {1e3 * cause.uncertainty:.0f} ppb"]
            lines.append(f"clock_ppb = {round(1e3 * cause.value)}")
    for node, fit in fits.items():
        lines += ["", f"# Rows of {node} after the fit: measured less model, ± both."]
        lines += [f"#   {row.row:24} {row.difference:+10.4f} ± {row.uncertainty:.4f}" for row in fit.residuals]
    return "\n".join([*lines, ""])
