"""One process for each device: a chapter that mpirun has started several times, and what becomes of the others where one of them
fails. $CHAPTERS_FOLDER has the chapters."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("CHAPTERS_FOLDER", REPOSITORY / "build/cpu/bin"))
CHAPTER = FOLDER / "42_all_reduce"
SAMPLE = FOLDER.parent / "tests/run/sample_ranks"  # its rank 1 does something wrong
SUM = ("--variant", "mpi_all_reduce")
HANG = 100  # seconds; nothing here takes a tenth of them
# Open MPI refuses root, and more processes than cores, unless it is told otherwise; and who waits leaves the core to others.
ALLOWED = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
           "OMPI_MCA_mpi_yield_when_idle": "1"}
CLEAN = {name: value for name, value in os.environ.items() if not re.match("OMPI_|PMI|SLURM_", name)} | ALLOWED


def start(ranks, program, *arguments):
    return subprocess.Popen(["mpirun", "-n", str(ranks), program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=CLEAN)


def run(ranks, program, *arguments):
    """Status, output and errors of the job."""
    with start(ranks, program, *arguments) as job:
        output, errors = job.communicate(timeout=HANG)
    return job.returncode, output, errors


class ShareTheWork(unittest.TestCase):
    def test_two_and_three_processes_add_up_and_rank_0_tells(self):
        for size in (2, 3):
            with self.subTest(size=size):
                status, table, errors = run(size, CHAPTER, "--n", "10007")
                self.assertEqual(status, 0, errors)
                self.assertEqual(table.count(f"{size} processes"), 1)
                self.assertEqual(len(re.findall(r"(?m)^mpi_all_reduce .* yes$", table)), 1)
                self.assertRegex(table, r"(?m)^nccl_all_reduce .* GPU only$")
                self.assertRegex(table, r"(?m)^two_phase .* needs all GPUs in one process$")

    def test_fewer_elements_than_processes(self):
        for n in ("1", "2"):
            with self.subTest(n=n):
                self.assertEqual(run(3, CHAPTER, *SUM, "--n", n)[0], 0)

    def test_the_results_say_how_many_processes(self):
        with tempfile.TemporaryDirectory(prefix="two words ") as folder:
            file = pathlib.Path(folder) / "x.json"
            self.assertEqual(run(2, CHAPTER, *SUM, "--n", "1000", "--json", file)[0], 0)
            results = json.loads(file.read_text())
        self.assertEqual(results["options"]["processes"], 2)
        self.assertEqual([(row["variant"], row["verified"]) for row in results["rows"]], [("mpi_all_reduce", True)])

    def test_only_rank_0_lists_and_helps(self):
        for option, words in (("--list", "two_phase"), ("--help", "Usage: 42_all_reduce")):
            status, output, errors = run(2, CHAPTER, option)
            self.assertEqual(status, 0, errors)
            self.assertEqual(len(re.findall(f"(?m)^{words}", output)), len(re.findall(f"(?m)^{words}", run(1, CHAPTER, option)[1])))

    def test_a_batch_script_of_slurm_is_one_process(self):
        ended = subprocess.run([CHAPTER, "--n", "1000", "--variant", "two_phase"], capture_output=True, text=True, check=False,
                               env={**CLEAN, "SLURM_PROCID": "0", "SLURM_NTASKS": "4"})
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stdout, r"(?m)^two_phase .* yes$")


class Refused(unittest.TestCase):
    def assert_refused(self, ended, sentence):
        """With status 2, and once."""
        self.assertEqual(ended[:2], (2, ""), ended[2])
        self.assertEqual(ended[2].count(sentence), 1, ended[2])

    def test_what_is_wrong_with_the_command_line_is_said_once(self):
        self.assert_refused(run(2, CHAPTER, "--variannt", "x"), "did you mean --variant?")
        self.assert_refused(run(2, CHAPTER, "--variant", "x"), "There is no variant 'x'.")

    def test_devices_are_the_launcher_s_to_say(self):
        for option in ("--devices", "--gpu"):
            self.assert_refused(run(2, CHAPTER, option, "1"), f"{option}: each of 2 processes uses one device")

    def test_ranks_of_different_command_lines_do_not_begin(self):
        self.assert_refused(run(1, CHAPTER, "--n", "1000", ":", "-n", "1", CHAPTER, "--n", "2000"),
                            "rank 1 as '42_all_reduce --n 2000': start all ranks with the same arguments.")

    def test_processes_that_no_mpi_joins_are_refused_by_the_first(self):
        """Those of another launcher, or of a build without MPI."""
        for rank, lines in (("0", 1), ("1", 0)):
            ended = subprocess.run([CHAPTER, "--n", "1000"], capture_output=True, text=True, check=False, timeout=HANG,
                                   env={**CLEAN, "PMI_SIZE": "2", "PMI_RANK": rank})
            self.assertEqual(ended.returncode, 3, ended.stderr)
            self.assertEqual(len(re.findall("launcher has started 2 processes", ended.stderr)), lines)


class LostRank(unittest.TestCase):
    def test_a_rank_that_is_killed_ends_the_job_and_is_named(self):
        for size, rank in ((2, 1), (3, 0)):
            with self.subTest(size=size, rank=rank), start(size, SAMPLE, "--variant", "long", "--n", "10007") as job:
                process = {}
                while len(process) < size:
                    own, number = re.fullmatch(r"rank (\d+) is process (\d+)\n", job.stderr.readline()).groups()
                    process[int(own)] = int(number)
                killed = time.monotonic()
                os.kill(process[rank], signal.SIGKILL)
                _, errors = job.communicate(timeout=HANG)
                self.assertEqual(job.returncode, 128 + signal.SIGKILL)
                self.assertRegex(errors, rf"process rank {rank} with PID \d+ on node .*\s+exited on signal 9")
                self.assertLess(time.monotonic() - killed, 30)  # the work of the others takes twice as long

    def test_a_rank_that_throws_says_why_and_ends_the_job(self):
        status, output, errors = run(3, SAMPLE, "--variant", "throws", "--n", "1000")
        self.assertEqual((status, output), (5, ""), errors)
        self.assertIn("Rank 1: This rank has had enough.\n", errors)

    def test_a_wrong_sum_of_one_rank_is_the_table_s(self):
        status, output, errors = run(3, SAMPLE, "--variant", "right", "--variant", "wrong", "--n", "1000")
        self.assertEqual(status, 1, errors)
        self.assertRegex(output, r"(?m)^right .* yes$")
        self.assertRegex(output, r"(?m)^FAILED wrong: rank 1: On device 0: 1 of 1,000 elements is wrong")
