# Record in a notebook, and see the report below the cell. In a script, show()
# opens it in a browser.
#   pip install torch-memviz
import torch_memviz

batches, train_step = ..., ...  # yours

# Let the first steps pass: they allocate what is kept.
with torch_memviz.record("snap.pickle", steps=range(3, 8)) as recording:
    for batch in recording.steps(batches):
        train_step(batch)

torch_memviz.show("snap.pickle")

# In other cells: torch_memviz.stats("snap.pickle"), leaks, predict, events,
# and after %load_ext torch_memviz: %memviz top snap.pickle
