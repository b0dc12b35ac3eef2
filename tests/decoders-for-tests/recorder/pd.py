import sigrokdecode as srd


class Decoder(srd.Decoder):
    api_version = 3
    id = "recorder"
    name = "Recorder"
    longname = "Recorder of OUTPUT_PYTHON"
    desc = "Shows what any decoder hands on, as text."
    license = "mit"
    inputs = ["logic"]  # Replaced by whatever it is put on; sigrok-cli does not look.
    outputs = []
    tags = ["Util"]
    annotations = (("object", "Object"),)

    def __init__(self):
        self.reset()

    def reset(self):
        pass

    def start(self):
        self.out_ann = self.register(srd.OUTPUT_ANN)

    def decode(self, ss, es, data):
        self.put(ss, es, self.out_ann, [0, [repr(data)]])
