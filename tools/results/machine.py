"""What a record was made on, next to what a chapter says itself."""

import contextlib
import ctypes
import os
import pathlib
import re
import subprocess


def query(fields, *options):
    """What nvidia-smi says of the first GPU, by field; empty without nvidia-smi."""
    command = ["nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits", "-i", "0", *options]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    values = [value.strip() for value in said.splitlines()[0].split(",")] if said.strip() else []
    return {field: value for field, value in zip(fields, values) if "N/A" not in value and "Not" not in value}


def state():
    """The GPU at this moment, as a row has it; null is what nvidia-smi does not tell."""
    said = query(["clocks.sm", "clocks_event_reasons.active", "temperature.gpu", "power.draw"])
    return {name: read(value) if (value := said.get(field)) else None for name, field, read in (
        ("sm_mhz", "clocks.sm", int), ("clock_reasons", "clocks_event_reasons.active", lambda mask: int(mask, 16)),
        ("celsius", "temperature.gpu", int), ("watts", "power.draw", float))}


def text(path):
    with contextlib.suppress(OSError):
        return pathlib.Path(path).read_text().strip()
    return ""


def nccl():
    """The version of NCCL, or None; those of the toolkit's own libraries follow from its version."""
    with contextlib.suppress(OSError, AttributeError):
        number = ctypes.c_int()
        ctypes.CDLL("libnccl.so.2").ncclGetVersion(ctypes.byref(number))
        return f"{number.value // 10000}.{number.value // 100 % 100}.{number.value % 100}"


def describe():
    """The machine's facts, by name; what cannot be found out is left out. No name of a host or a person."""
    smi = query(["power.limit", "ecc.mode.current", "pci.bus_id"])
    cpuinfo = text("/proc/cpuinfo")
    model = re.search(r"^model name\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
    bus = smi.get("pci.bus_id", "").lower()[-12:]
    chosen = re.search(r"\[(\w+)\]", text("/sys/kernel/mm/transparent_hugepage/enabled"))
    facts = {
        "power_limit_w": float(smi["power.limit"]) if "power.limit" in smi else None,
        "ecc": smi.get("ecc.mode.current"),
        "host_cpu": model and model[1],
        "host_cores": os.cpu_count(),
        "numa_nodes": len(list(pathlib.Path("/sys/devices/system/node").glob("node[0-9]*"))) or None,
        "numa_node_of_card": text(f"/sys/bus/pci/devices/{bus}/numa_node") or None,
        "page_bytes": os.sysconf("SC_PAGE_SIZE"),
        "huge_pages": chosen and chosen[1],
        "hypervisor": "yes" if re.search(r"^flags.*\bhypervisor\b", cpuinfo, re.MULTILINE) else "no",
        "nccl": nccl(),
    }
    return {name: value for name, value in facts.items() if value is not None}
