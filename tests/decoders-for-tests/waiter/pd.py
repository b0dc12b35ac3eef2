import sigrokdecode as srd

CHANNELS = 4


class Decoder(srd.Decoder):
    api_version = 3
    id = "waiter"
    name = "Waiter"
    longname = "Waits at random"
    desc = "Waits for conditions at random and shows what comes back."
    license = "mit"
    inputs = ["logic"]
    outputs = []
    tags = ["Util"]
    channels = (
        {"id": "a", "name": "A", "desc": "A"},
        {"id": "b", "name": "B", "desc": "B"},
    )
    optional_channels = (
        {"id": "c", "name": "C", "desc": "C"},
        {"id": "d", "name": "D", "desc": "D"},
    )
    options = ({"id": "seed", "desc": "Seed", "default": 1},)
    annotations = (
        ("match", "Match"),
        ("end", "End"),
    )

    def __init__(self):
        self.reset()

    def reset(self):
        pass

    def start(self):
        self.out_ann = self.register(srd.OUTPUT_ANN)

    def below(self, n):
        # Numerical Recipes' generator: the same in every Python.
        self.state = (self.state * 1664525 + 1013904223) % (1 << 32)
        return (self.state >> 8) % n

    def term(self):
        if self.below(5) == 0:
            return "skip", (0, 1, 2, 3, 7, 50, 300, -1)[self.below(8)]
        return self.below(CHANNELS + (self.below(20) == 0)), "hlrfen"[self.below(6)]

    def condition(self):
        return dict(self.term() for _ in range((1, 1, 1, 2, 2, 3, 0)[self.below(7)]))

    def conditions(self):
        kind = self.below(12)
        if kind == 0:
            return None
        if kind == 1:
            return {} if self.below(2) else []
        if kind < 6:
            return self.condition()
        return [self.condition() for _ in range(1 + self.below(4))]

    def decode(self):
        self.state = self.options["seed"]
        conditions = None
        try:
            while True:
                conditions = self.conditions()
                if conditions not in (None, {}, []) and self.below(20):
                    # Else a condition that can never hold would end most runs early.
                    if isinstance(conditions, dict):
                        conditions = [conditions]
                    conditions = conditions + [{"skip": 1 + self.below(60)}]
                pins = self.wait(conditions)
                self.put(
                    self.samplenum, self.samplenum, self.out_ann, [0, ["%s: %s %s" % (conditions, pins, self.matched)]]
                )
        except (EOFError, SystemError):
            self.put(self.samplenum, self.samplenum, self.out_ann, [1, ["%s" % conditions]])
            raise
