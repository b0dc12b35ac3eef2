"""Runs sigrok protocol decoders, unmodified, on the edges of a capture instead of its samples.

    library     finds decoders where libsigrokdecode does, and loads them apart from everything else
    sigrokdecode_module the module `sigrokdecode` that they import
    stack       the stacks of `-P`: decoders, channels, options
    source      a waveform in chunks between gaps
    native      wait() and put() in Rust (analysis/native): from edge to edge, from decoder to decoder
    instance    register(), and what else is not frequent
    printer     outputs as sigrok-cli prints them
    host        runs stacks over a waveform
    outputs     what comes out, which of it is wanted, as sigrok-cli prints it
    rows        the same as rows, and as lines of JSON
    table       those as a table

The behaviour is that of libsigrokdecode 0.5.3 (`instance.c`, `type_decoder.c`) and sigrok-cli 0.7.2 (`decode.c`);
`tests/decoders/test_decoderhost_sigrok.py` compares the two.
"""
