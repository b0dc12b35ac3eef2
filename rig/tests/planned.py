"""Plans as the command line makes them, in this process."""

from __future__ import annotations

import argparse
import shlex
from functools import cache

from gpiorig.rig.arguments.parser import Parser
from gpiorig.rig.commands.bench import bench_plan, bench_plan_options
from gpiorig.rig.planning import drawing, recipe
from gpiorig.rig.planning import plan as plans
from gpiorig.rig.planning.plan import Plan


def options_of(words: str) -> argparse.Namespace:
    """The options of `gpiorig bench plan WORDS`."""
    parser = Parser(prog="gpiorig bench plan")
    bench_plan_options.add_arguments(parser)
    return parser.parse_args(shlex.split(words))


@cache
def plan_of(words: str) -> Plan:
    """The plan of these options."""
    options = options_of(words)
    return plans.of(bench_plan.request_of(options), analyzer=options.analyzer)


def file_of(words: str) -> str:
    """The bench file of these options."""
    plan = plan_of(words)
    assert plan.choice is not None
    return recipe.text(plan.request, plan.choice, bench_plan.command(options_of(words)))


def drawings_of(words: str) -> dict[str, str]:
    """The drawing of each analyzer."""
    plan = plan_of(words)
    assert plan.choice is not None
    assert plan.choice.bench is not None
    return drawing.pages(plan.choice.bench, recipe.images(plan.request, plan.choice.bench))
