"""The facts of the page "Glossary"."""

from tools.book.facts import *


# Copy bandwidth

claim(
    "another copy passes the copy bandwidth by less than three percent",
    between(1, gb("cub::DeviceTransform", chapter="06", unit=2, n=2**31) / device("copy_gb_per_s"), 1.03),
)
thrust_transform_copy_share = copy_share("thrust::transform", chapter="01")
stream_4_0_copy_share = copy_share("stream", chapter="24", mix="4:0")
claim(
    "an addition passes the copy bandwidth by a few percent, one kind of access by more",
    more(thrust_transform_copy_share, 1.01),
    less(thrust_transform_copy_share, stream_4_0_copy_share),
    less(stream_4_0_copy_share, copy_share("stream", chapter="24", mix="0:4")),
)

# SM

multiprocessors = device("multiprocessors")
