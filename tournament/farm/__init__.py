"""An event on many machines, through dask.distributed."""
