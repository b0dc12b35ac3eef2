"""The verbs of the command line; a module of the same name holds `EPILOG` and `add_arguments`."""

COMMANDS = {
    "demo": "Run two virtual boards, capture them with sigrok-cli, decode, and write a report.",
    "run": "Run an experiment on a bench and record it.",
    "capture": "Record a logic analyzer, for as long as you like.",
    "report": "Rebuild tables, figures and page of a recording.",
    "compare": "Show which delays changed from one run to another, and by how much; a gate for tests.",
    "info": "Show what is in a recording, or in a file of any known format.",
    "import": "Make a recording of captures and logs of other tools.",
    "export": "Write a recording or a file, all of it or a part, in the format of another tool.",
    "decode": "Run sigrok protocol decoders on a recording or a file, by its edges.",
    "measure": "Measure delays, periods, widths and skews between the edges of any channels.",
    "latency": "Pair requests and responses in logs, and show how long each took.",
    "serial": "Show and record the lines of the nodes, live or from a recording.",
    "clocks": "Show how nodes' clocks run, by logs that carry host and node time, or by the pins.",
    "merge": "Align recordings of several analyzers by the sync line that all of them saw.",
    "pulseview": "Cut a packet out of a recording and look at it in PulseView.",
    "decoders": "Install our sigrok decoders, and print the options for a bench.",
    "radio": "List the frames that went over the radios' SPI buses, or the transfers of these.",
    "bench": "Check a bench file, or serve a virtual bench.",
    "probes": "Measure the cost of the probes: the same experiment with other probes, and without.",
    "firmware": "Check that an image has all its hooks, and a recording all their events.",
}
