"""`python -m pbrain`: with no arguments the brain, at once; the command line's parser is loaded only when needed."""

import sys

if len(sys.argv) == 1:
    from pbrain.brain.start import run_brain

    run_brain(None)
else:
    from pbrain.cli import main

    sys.exit(main())
