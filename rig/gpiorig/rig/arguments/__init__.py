"""The verbs of the command line in groups, and what the options of several share."""

GROUPS = {
    "begin": {
        "demo": "Record two virtual boards, and write a report.",
        "doctor": "Show what this machine lacks, and what installs it.",
    },
    "record": {
        "run": "Run an experiment on a bench and record it.",
        "capture": "Record a logic analyzer, for any length of time.",
        "serial": "Show and record the serial lines of nodes.",
        "import": "Make a recording of captures and logs of other tools.",
        "merge": "Align recordings of several analyzers by their sync line.",
    },
    "look": {
        "report": "Write tables, figures and page of a recording, or check them.",
        "view": "Serve the page of recordings, or follow a capture that runs.",
        "packets": "List packets with their delays and longest steps.",
        "compare": "Show which delays changed between runs; a gate for tests.",
        "info": "Show what is in a recording, or in a file of a known format.",
        "export": "Write a recording or a part of it for another tool, as PulseView.",
    },
    "any capture or log": {
        "measure": "Measure delays, periods, widths and skews between edges.",
        "decode": "Run sigrok protocol decoders on edges, or install ours.",
        "radio": "List the frames on the SPI buses of radios.",
        "latency": "Measure delays between lines of logs, and of packet captures.",
        "clocks": "Fit the clocks of nodes, by logs or by the pins.",
    },
    "many runs": {
        "study": "Record studies and experiments over benches, and draw their figures.",
        "batch": "Analyse many recordings, on all processors or a cluster.",
        "store": "Keep results of many runs, and answer SQL over them.",
    },
    "bench and firmware": {
        "bench": "Find, check, verify or serve a bench.",
        "flash": "Put the images of a bench onto its boards.",
        "firmware": "Check hooks and events, or measure the cost of the probes.",
    },
}
ROOMS = dict(zip(GROUPS, ("begin", "record", "look", "files", "many", "bench"), strict=True))  # in `rig.commands`
COMMANDS = {name: summary for commands in GROUPS.values() for name, summary in commands.items()}
ROOM_OF = {name: ROOMS[group] for group, commands in GROUPS.items() for name in commands}
STUDY_VERBS = ("study", "batch")  # in gpiorig-studies: `arguments/VERB.py` and `commands/VERB.py`
