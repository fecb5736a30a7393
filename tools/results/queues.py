"""How the loads of chapter 22 wait for each other, by three laws, and how far each is from what was measured.

With W bytes in flight all the time, a law says the bandwidth X:

  no queue       every byte takes the latency of an idle memory, up to the most that the memory gives
  open queue     a newcomer finds u / (1 - u) others before it, where u is a share of `most`
  closed network those before it are the W bytes that go round, through many equal servers: mean-value analysis
                 (Reiser and Lavenberg, 1980), request by request

`most` is the theoretical peak, or is fitted with the others. Rows with one load at a time are fitted, and those that
are long past the point where more bytes gain nothing: they alone tell what `most` is.
"""

import math

REQUEST = 128  # bytes: a line, what a warp requests with one word per lane
SATURATED = 64 * 1024  # bytes in flight on an SM


def no_queue(in_flight, latency, most):
    """GB/s: bytes per nanosecond."""
    return min(in_flight / latency, most)


def open_queue(in_flight, latency, service, most):
    """The bandwidth at which in_flight = X * (latency + service * u / (1 - u)) with u = X / most: a quadratic in u."""
    a = most * (service - latency)
    b = most * latency + in_flight
    if abs(a) < 1e-9 * b:
        return most * in_flight / b
    return most * (math.sqrt(b * b + 4 * a * in_flight) - b) / (2 * a)


def closed_network(populations, latency, service, most):
    """The bandwidths with so many bytes going round, each of `populations`. Servers take `service` for a request, and are
    as many as give `most` together; the latency is that of an idle memory, a service in it."""
    servers = most * service / REQUEST
    wanted = {max(1, round(bytes_ / REQUEST)) for bytes_ in populations}
    found, waiting = {}, 0.0
    for requests in range(1, max(wanted) + 1):
        at_servers = service * (1 + waiting / servers)
        rate = requests / (latency - service + at_servers)
        waiting = rate * at_servers
        if requests in wanted:
            found[requests] = rate * REQUEST
    return [found[max(1, round(bytes_ / REQUEST))] for bytes_ in populations]


def fit(law, start, rows):
    """The parameters with the least sum of squared relative errors, from `start` on, one after the other."""
    def cost(parameters):
        return sum(math.log(law(bytes_, *parameters) / gb) ** 2 for bytes_, gb in rows)

    best, least, steps = list(start), cost(start), [0.2] * len(start)
    while max(steps) > 1e-6:
        for k, step in enumerate(steps):
            for factor in (1 + step, 1 / (1 + step)):
                tried = best[:k] + [best[k] * factor] + best[k + 1:]
                if (found := cost(tried)) < least:
                    best, least, steps[k] = tried, found, 1.5 * step
                    break
            else:
                steps[k] = step / 2
    return best


def rows_of(results):
    """Bytes in flight on all SMs, and GB/s, of the rows that are fitted."""
    count = results["device"]["multiprocessors"]
    return [(row["parameters"]["in_flight"] * count, row["gb_per_s"]) for row in results["rows"]
            if row["cache"] == "cold" and row["parameters"]["width"] >= 4
            and (row["parameters"]["loads"] == 1 or row["parameters"]["in_flight"] >= SATURATED)]


def compare(results):
    """Of each law, by its name: its parameters, and the median and the largest of its errors."""
    rows, peak = rows_of(results), results["device"]["peak_gb_per_s"]
    most = max(gb for _, gb in rows)
    laws = [("no queue", no_queue, [400.0, most]),
            ("open queue, u of the peak", lambda w, latency, service: open_queue(w, latency, service, peak), [350.0, 50.0]),
            ("open queue", open_queue, [350.0, 50.0, 1.05 * most])]
    found = {}

    def note(name, parameters, speeds):
        sizes = sorted(abs(speed / gb - 1) for speed, (_, gb) in zip(speeds, rows))
        found[name] = {"parameters": parameters, "median": sizes[len(sizes) // 2], "largest": sizes[-1]}

    for name, law, start in laws:
        parameters = fit(law, start, rows)
        note(name, parameters, [law(bytes_, *parameters) for bytes_, _ in rows])
    # An open queue's newcomer waits for others only; a server's time for itself is in the latency of both.
    note("closed network", parameters, closed_network([bytes_ for bytes_, _ in rows], *parameters))
    return found
