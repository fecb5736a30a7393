# Everything built, for amd64 and arm64: what a Mac, or a machine without a compiler, needs. No GPU is used.
#
#   docker build -t moving-bytes .
#   docker run -it --rm moving-bytes                                         a shell: ./run 01, ./run exercise, ...
#   docker run -it --rm -v "$PWD:/mine" -w /mine moving-bytes run mine.cu    a file of the folder that you are in

# What the dev container takes: the packages alone.
FROM debian:12 AS packages
ENV LANG=C.UTF-8
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git
COPY run /tmp/packages/
RUN /tmp/packages/run --device cpu setup test && rm -r /tmp/packages

FROM packages
WORKDIR /moving-bytes
COPY . .
# All chapters, each variant verified; then what `./run mine.cu` and the exercises need.
RUN ./run --device cpu && cmake --build build/cpu && ln -s "$PWD/run" /usr/local/bin/run
CMD ["bash"]
