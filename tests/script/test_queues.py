"""The laws of waiting that chapter 22's rows are compared with, on cases whose answer is known."""

import pathlib
import unittest

from tools.results import queues, schema

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


class Queues(unittest.TestCase):
    def test_equal_servers_and_no_way_between_them_have_a_closed_form(self):
        service, servers = 50.0, 8
        most = servers * queues.REQUEST / service
        for requests in (1, 5, 40):
            found, = queues.closed_network([requests * queues.REQUEST], service, service, most)
            self.assertAlmostEqual(found / queues.REQUEST, requests / (requests + servers - 1) * servers / service)

    def test_one_server_is_busy_as_in_the_formula_of_a_repair_shop(self):
        # N requests, a delay of mean z and one server of mean s: from the probabilities of a birth-death chain.
        z, s, requests = 300.0, 100.0, 3
        weights = [1.0]
        for waiting in range(1, requests + 1):
            weights.append(weights[-1] * s * (requests - waiting + 1) / z)
        rate = (1 - weights[0] / sum(weights)) / s
        found, = queues.closed_network([requests * queues.REQUEST], z + s, s, queues.REQUEST / s)
        self.assertAlmostEqual(found / queues.REQUEST, rate)

    def test_an_open_queue_keeps_littles_law(self):
        for in_flight in (1e5, 1e6, 1e7):
            rate = queues.open_queue(in_flight, 360, 45, 4600)
            self.assertAlmostEqual(rate * (360 + 45 * rate / (4600 - rate)) / in_flight, 1)
        self.assertAlmostEqual(queues.open_queue(1e6, 50, 50, 4600), 4600 * 1e6 / (4600 * 50 + 1e6))

    def test_with_ten_thousand_requests_open_and_closed_are_one(self):
        populations = [1e6, 2e6, 4e6]
        closed = queues.closed_network(populations, 360, 45, 4600)
        for in_flight, rate in zip(populations, closed):
            self.assertLess(abs(rate / queues.open_queue(in_flight, 360, 45, 4600) - 1), 1e-3)
        few = 20 * queues.REQUEST  # and with few they are not
        self.assertGreater(abs(queues.closed_network([few], 360, 45, 8)[0] / queues.open_queue(few, 360, 45, 8) - 1), 1e-2)

    def test_a_fit_finds_what_was_planted(self):
        rows = [(w, queues.open_queue(w, 350, 40, 4650)) for w in (1e5, 3e5, 1e6, 2e6, 4e6, 9e6, 2e7)]
        for found, planted in zip(queues.fit(queues.open_queue, [200, 100, 5000], rows), (350, 40, 4650)):
            self.assertLess(abs(found / planted - 1), 1e-2)

    def test_it_reads_the_record(self):
        found = queues.compare(schema.load(REPOSITORY / "book/results/nvidia-h200/22_bytes_in_flight.json"))
        self.assertGreater(found["no queue"]["median"], 2 * found["closed network"]["median"])
