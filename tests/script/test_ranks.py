"""One process for each device: a chapter started several times, as mpirun and other launchers do it, and what becomes of the others
where one of them fails. $CHAPTERS_FOLDER has the chapters."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

from tests.script.skips import skip

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("CHAPTERS_FOLDER", REPOSITORY / "build/cpu/bin"))
CHAPTER = FOLDER / "42_all_reduce"
SAMPLE = FOLDER.parent / "tests/run/sample_ranks"  # its rank 1 does something wrong
RING = ("--variant", "host_ring")
HANG = 100  # seconds; nothing here takes a tenth of them
LAUNCHERS = re.compile("OMPI_|PMI|SLURM_|RANK$|WORLD_SIZE$|LOCAL_|MASTER_|TORCHELASTIC_|MOVING_BYTES_")


def free_port():
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as server:
        return server.getsockname()[1]


def connection_to(port):
    """As soon as somebody listens there."""
    end = time.monotonic() + HANG
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


class Started:
    """Processes of a program, by their ranks."""

    def __init__(self, test, program, ranks, size, *arguments, names=("RANK", "WORLD_SIZE"), each=None, **variables):
        clean = {name: value for name, value in os.environ.items() if not LAUNCHERS.match(name)}
        self.port = variables.setdefault("MASTER_PORT", str(free_port()))
        self.processes = {}
        for rank in ranks:
            own = (each or {}).get(rank, ())
            self.processes[rank] = subprocess.Popen(
                [program, *arguments, *own], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                env={**clean, **variables, names[0]: str(rank), names[1]: str(size)})
        for process in self.processes.values():
            test.addCleanup(process.wait)
            test.addCleanup(process.stdout.close)
            test.addCleanup(process.stderr.close)
            test.addCleanup(process.kill)

    def end(self):
        """What each printed, as (status, output, errors)."""
        ended = {}
        for rank, process in self.processes.items():
            output, errors = process.communicate(timeout=HANG)
            ended[rank] = (process.returncode, output, errors)
        return ended


class RanksTest(unittest.TestCase):
    def assert_lost(self, ended, rank, *words):
        """All but that rank ended with status 5 and a sentence that names it."""
        for other, (status, _, errors) in ended.items():
            if other != rank:
                self.assertEqual(status, 5, errors)
                for word in (f"Rank {other}: ", f"rank {rank} of", *words):
                    self.assertIn(word, errors)


class ShareTheWork(RanksTest):
    def test_two_to_four_processes_add_up_and_rank_0_tells(self):
        for size in (2, 3, 4):
            with self.subTest(size=size):
                ended = Started(self, CHAPTER, range(size), size, "--n", "10007").end()
                for rank, (status, output, errors) in ended.items():
                    self.assertEqual((status, errors), (0, ""), f"rank {rank}")
                    self.assertEqual(output == "", rank > 0, output)
                table = ended[0][1]
                self.assertIn(f"{size} processes", table)
                self.assertRegex(table, r"(?m)^host_ring .* yes$")
                self.assertRegex(table, r"(?m)^nccl_all_reduce .* GPU only$")
                self.assertRegex(table, r"(?m)^two_phase .* needs all GPUs in one process$")

    def test_fewer_elements_than_processes_and_sizes_that_do_not_divide(self):
        for n in (1, 2, 3, 5, 1023):
            with self.subTest(n=n):
                self.assertEqual(Started(self, CHAPTER, range(4), 4, *RING, "--n", str(n)).end()[0][0], 0)

    def test_the_ring_sends_as_much_as_the_two_phases_of_one_process(self):
        with tempfile.TemporaryDirectory(prefix="two words ") as folder:
            file = pathlib.Path(folder) / "x.json"
            arguments = ("--n", "2^16", "--json", file)
            self.assertEqual(Started(self, CHAPTER, range(4), 4, *RING, *arguments).end()[0][0], 0)
            ring = json.loads(file.read_text())
            Started(self, CHAPTER, [0], 1, "--devices", "4", "--variant", "two_phase", *arguments).end()
            self.assertEqual(ring["options"]["processes"], 4)
            self.assertEqual(ring["rows"][0]["peer_bytes"], json.loads(file.read_text())["rows"][0]["peer_bytes"])

    def test_every_launcher_says_rank_and_size_in_its_own_words(self):
        for names in (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"),
                      ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")):
            with self.subTest(names=names):
                ended = Started(self, CHAPTER, range(2), 2, *RING, "--n", "1000", names=names).end()
                self.assertEqual([status for status, _, _ in ended.values()], [0, 0], ended)

    def test_a_batch_script_of_slurm_is_one_process(self):
        ended = Started(self, CHAPTER, [0], 4, "--n", "1000", "--variant", "two_phase", names=("SLURM_PROCID", "SLURM_NTASKS")).end()
        self.assertEqual(ended[0][0], 0, ended)
        self.assertRegex(ended[0][1], r"(?m)^two_phase .* yes$")

    def test_where_torchrun_listens_the_ranks_take_the_next_port(self):
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as store:
            ended = Started(self, CHAPTER, range(2), 2, *RING, "--n", "1000", MASTER_PORT=str(store.getsockname()[1]),
                            TORCHELASTIC_USE_AGENT_STORE="True").end()
            self.assertEqual(ended[0][0], 0, ended)

    def test_only_rank_0_lists_the_rows(self):
        ended = Started(self, CHAPTER, range(2), 2, "--list").end()
        self.assertIn("two_phase", ended[0][1])
        self.assertEqual(ended[1], (0, "", ""))

    def test_mpirun_starts_it(self):
        mpirun = shutil.which("mpirun")
        if not mpirun:
            skip(self, "mpirun (openmpi-bin) is not installed")
        clean = {name: value for name, value in os.environ.items() if not LAUNCHERS.match(name)}
        ended = subprocess.run([mpirun, "--oversubscribe", "-n", "3", CHAPTER, *RING, "--n", "10007"], stdin=subprocess.DEVNULL,
                               capture_output=True, text=True, timeout=HANG, check=False,
                               env={**clean, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                                    "MASTER_PORT": str(free_port())})
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("3 processes", ended.stdout)
        self.assertEqual(len(re.findall(r"(?m)^host_ring .* yes$", ended.stdout)), 1)


class LostRank(RanksTest):
    def begin(self, size, **variables):
        """Processes in the middle of their work."""
        started = Started(self, SAMPLE, range(size), size, "--variant", "long", "--n", "10007", **variables)
        for process in started.processes.values():
            self.assertEqual(process.stderr.readline(), "working\n")
        return started

    def test_a_rank_that_is_killed_is_named_by_all_others_within_seconds(self):
        for size, rank in ((2, 1), (4, 2), (3, 0)):
            with self.subTest(size=size, rank=rank):
                started = self.begin(size)
                started.processes[rank].kill()
                killed = time.monotonic()
                self.assert_lost(started.end(), rank, "has ended before its work was done")
                self.assertLess(time.monotonic() - killed, 30)

    def test_a_rank_that_is_stopped_is_named_once_it_has_been_silent_too_long(self):
        for rank in (0, 1):
            with self.subTest(rank=rank):
                started = self.begin(3, MOVING_BYTES_PATIENCE="3")
                started.processes[rank].send_signal(signal.SIGSTOP)
                silent = started.processes.pop(rank)
                self.assert_lost(started.end(), rank, "has not been heard of for 3 s")
                silent.kill()

    def test_all_that_are_stopped_together_go_on_together(self):
        started = self.begin(2, MOVING_BYTES_PATIENCE="2")
        for process in started.processes.values():
            process.send_signal(signal.SIGSTOP)
        time.sleep(3)
        for process in started.processes.values():
            process.send_signal(signal.SIGCONT)
        for rank, (status, _, errors) in started.end().items():
            self.assertEqual(status, 0, f"rank {rank}: {errors}")

    def test_a_rank_that_throws_says_why_and_the_others_name_it(self):
        ended = Started(self, SAMPLE, range(3), 3, "--variant", "throws", "--n", "1000").end()
        self.assertEqual(ended[1][0], 5)
        self.assertIn("Rank 1: This rank has had enough.", ended[1][2])
        self.assert_lost(ended, 1)

    def test_a_wrong_sum_of_one_rank_is_the_table_s(self):
        ended = Started(self, SAMPLE, range(3), 3, "--variant", "right", "--variant", "wrong", "--n", "1000").end()
        self.assertEqual([status for status, _, _ in ended.values()], [1, 1, 1], ended)
        self.assertRegex(ended[0][1], r"(?m)^right .* yes$")
        self.assertRegex(ended[0][1], r"(?m)^FAILED wrong: rank 1: On device 0: 1 of 1 000 elements is wrong")

    def test_a_rank_with_rows_of_its_own_is_named(self):
        ended = Started(self, SAMPLE, range(2), 2, "--variant", "this", "--variant", "other", "--n", "1000").end()
        self.assert_lost(ended, 1, "has come to 'other")


class Rendezvous(RanksTest):
    def test_a_rank_that_never_comes_is_named(self):
        ended = Started(self, CHAPTER, (0, 2), 4, *RING, MOVING_BYTES_PATIENCE="3").end()
        for status, _, errors in ended.values():
            self.assertEqual(status, 5, errors)
            self.assertIn("Ranks 1, 3 of 4 did not come", errors)

    def test_without_rank_0_the_others_say_so(self):
        ended = Started(self, CHAPTER, (1, 2), 3, *RING, MOVING_BYTES_PATIENCE="1").end()
        for status, _, errors in ended.values():
            self.assertEqual(status, 5, errors)
            self.assertIn("Rank 0 of 3 was not found", errors)

    def test_numbers_that_cannot_be_are_refused(self):
        for rank, size, words in (("2", "2", "RANK is '2'"), ("-1", "2", "RANK is '-1'"), ("one", "2", "RANK is 'one'"),
                                  ("0", "two", "WORLD_SIZE is 'two'"), ("0", "0", "WORLD_SIZE is '0'"), ("", "2", "RANK is ''"),
                                  ("0", "513", "WORLD_SIZE is '513'")):
            with self.subTest(rank=rank, size=size):
                status, output, errors = Started(self, CHAPTER, [rank], size).end()[rank]
                self.assertEqual((status, output), (2, ""), errors)
                self.assertIn(words, errors)
                self.assertEqual(len(errors.splitlines()), 1)

    def test_a_size_without_a_rank_is_refused(self):
        status, _, errors = Started(self, CHAPTER, [0], 2, names=("IGNORED", "WORLD_SIZE")).end()[0]
        self.assertEqual(status, 2, errors)
        self.assertIn("RANK is not set", errors)

    def test_a_port_that_is_no_port_or_in_use_is_refused(self):
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as server:
            for port, words in ((str(server.getsockname()[1]), "is in use"), ("65536", "MASTER_PORT is '65536'"), ("x", "MASTER_PORT is 'x'")):
                with self.subTest(port=port):
                    status, _, errors = Started(self, CHAPTER, [0], 2, MASTER_PORT=port).end()[0]
                    self.assertEqual(status, 2, errors)
                    self.assertIn(words, errors)

    def test_an_address_of_another_host_is_refused(self):
        for address, words in (("192.0.2.1", "is no address of this host"), ("no such host", "is no address and no name of a host")):
            status, _, errors = Started(self, CHAPTER, [0], 2, MASTER_ADDR=address).end()[0]
            self.assertEqual(status, 2, errors)
            self.assertIn(words, errors)

    def test_ranks_of_different_command_lines_do_not_join(self):
        started = Started(self, CHAPTER, range(2), 2, *RING, "--n", "1000", each={1: ("--seed", "7")}, MOVING_BYTES_PATIENCE="4")
        ended = started.end()
        self.assertEqual([status for status, _, _ in ended.values()], [5, 2], ended)
        for _, _, errors in ended.values():
            self.assertIn("--seed 7", errors)

    def test_devices_are_the_launcher_s_to_say(self):
        for option in (("--devices", "2"), ("--gpu", "1")):
            status, _, errors = Started(self, CHAPTER, [0], 2, *option).end()[0]
            self.assertEqual(status, 2, errors)
            self.assertIn(option[0], errors)

    def test_strangers_neither_join_nor_stop_it(self):
        port = free_port()
        started = Started(self, CHAPTER, [0], 2, *RING, "--n", "1000", MASTER_PORT=str(port))
        magic = b"MoviByte"
        words = (b"", b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100000, magic, magic + struct.pack(">II", 0, 0xffffffff),
                 magic + struct.pack(">II", 99, 0), magic + struct.pack(">II", 0, 4) + b"9:xx", magic + struct.pack(">II", 3, 0),
                 magic + struct.pack(">II", 0, 0))
        strangers = [connection_to(port) for _ in range(100)]
        for number, stranger in enumerate(strangers):
            self.addCleanup(stranger.close)
            with contextlib.suppress(OSError):
                stranger.sendall(words[number % len(words)])
        second = Started(self, CHAPTER, [1], 2, *RING, "--n", "1000", MASTER_PORT=str(port))
        self.assertEqual(second.end()[1][0], 0)
        status, output, errors = started.end()[0]
        self.assertEqual((status, errors), (0, ""))
        self.assertRegex(output, r"(?m)^host_ring .* yes$")

    def test_something_else_behind_the_port_is_no_rank_0(self):
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as server:
            started = Started(self, CHAPTER, [1], 2, *RING, MASTER_PORT=str(server.getsockname()[1]), MOVING_BYTES_PATIENCE="2")
            connection, _ = server.accept()
            with contextlib.closing(connection):
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                status, _, errors = started.end()[1]
            self.assertEqual(status, 5, errors)
            self.assertIn("is another program", errors)


if __name__ == "__main__":
    unittest.main()
