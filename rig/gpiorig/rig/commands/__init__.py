"""The verbs of the command line; a module of the same name holds `EPILOG`, `add_arguments` and `run`."""

COMMANDS = {
    "demo": "Run two virtual boards, capture them with sigrok-cli, decode, and write a report.",
    "run": "Run an experiment on a bench and record it.",
    "capture": "Record a logic analyzer, for as long as you like.",
    "report": "Rebuild tables, figures and page of a recording.",
    "info": "Say what is in a recording, or in a file of any known format.",
    "import": "Make a recording of captures and logs that others made.",
    "export": "Write a recording or a file, whole or a part, in the format of another tool.",
    "decode": "Run sigrok protocol decoders on a recording or a file, by its edges.",
    "serial": "Show and record what the nodes say, live or from a recording.",
    "merge": "Lay recordings of several analyzers over each other, by the sync line that all of them saw.",
    "pulseview": "Cut a packet out of a recording and look at it in PulseView.",
    "decoders": "Install our sigrok decoders, and say how a bench is given to them.",
    "radio": "List the frames that went over the radios' SPI buses, or the transfers of these.",
    "bench": "Check a bench file, or serve a virtual bench.",
    "probes": "Say what the probes cost: the same experiment with other probes, and without.",
    "firmware": "Check that an image has all its hooks, and a recording all their events.",
}
