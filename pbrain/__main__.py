"""`python -m pbrain`: with no arguments the brain, at once; the command line's parser is loaded only when needed."""

import sys

if len(sys.argv) == 1:
    import gc

    gc.disable()  # until the brain listens: collecting garbage between imports takes 1.5 ms of every start
    from pbrain.brain.start import run_brain

    run_brain(None)
else:
    from pbrain.cli import main

    sys.exit(main())
