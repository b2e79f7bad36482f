"""A real Slurm on this machine: munged, mariadbd, slurmdbd, slurmctld and a slurmd for each node,
all from Debian's packages, on free ports and in a temporary folder, which is removed at the end.
Nothing outside of the folder is written. Needs root. GPUs are empty files.

    with SlurmCluster() as slurm:
        slurm.submit(...)
        slurm.run("sacct", "-P")
"""

import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

NODES = 8
GPUS_OF_A_NODE = 8
ACCOUNTS = {"language": 60, "vision": 30, "speech": 10}  # shares
# Users that every Debian has; a job's process runs as its user.
USERS = {"games": "language", "man": "language", "mail": "vision", "news": "vision", "lp": "speech"}
QOS = {"urgent": 1000}  # besides "normal", whose priority is 0

# Jobs are a hundred times shorter than real ones, and so are the intervals of the backfill.
SLURM_CONF = """\
ClusterName=bed
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ctld_port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
SlurmdParameters=config_overrides
TopologyPlugin=topology/tree
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,bf_resolution=1
PriorityType=priority/multifactor
PriorityWeightAge=10000
PriorityMaxAge=0-01:00:00
PriorityWeightQOS=50000
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePass=socket={folder}/munge/socket
AccountingStoragePort={dbd_port}
AccountingStorageTRES=gres/gpu,gres/gpu:h100
AccountingStoreFlags=job_script
JobAcctGatherType=jobacct_gather/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ReturnToService=2
MessageTimeout=60
NodeName=n[1-{nodes}] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[{node_ports}] CPUs=64 RealMemory=512000 Gres=gpu:h100:{gpus}
PartitionName=gpu Nodes=n[1-{nodes}] Default=YES MaxTime=1-00:00:00 State=UP
"""

DBD_CONF = """\
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
DbdHost=localhost
DbdPort={dbd_port}
SlurmUser=root
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageUser=slurm
StoragePass={password}
StorageLoc=slurm_acct_db
"""


class SlurmFailed(Exception):
    """A part did not start or a command failed; the text says which, with the end of its log."""


def free_ports(count):
    """Consecutive ports that nobody listens on; below the range from which clients get theirs."""
    for first in range(20_000, 32_000, 100):
        sockets = []
        try:
            for port in range(first, first + count):
                sockets.append(socket.socket())
                sockets[-1].bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
    raise SlurmFailed("there are no free ports")


class SlurmCluster:
    def __init__(self):
        # Not pytest's folder: munged wants one that all users can enter.
        self.folder = Path(tempfile.mkdtemp(prefix="headroom-slurm-"))
        self.processes = []  # (name, Popen)
        self.last_job = 0
        self.environment = {  # little of ours: sbatch hands it on to the jobs
            "LC_ALL": "C.UTF-8",
            "SLURM_CONF": str(self.folder / "slurm.conf"),
            "MYSQL_UNIX_PORT": str(self.folder / "sql/socket"),
            "TZ": "UTC",
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        }

    def __enter__(self):
        try:
            self.write_files()
            self.start_munge()
            self.start_accounting()
            self.start_controller()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    # Commands

    def run(self, *words, seconds=60, check=True, **options):
        """Standard output of a command."""
        done = subprocess.run(
            [str(word) for word in words], env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=seconds, cwd="/", **options,
        )  # fmt: skip
        if check and done.returncode != 0:
            raise SlurmFailed(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stderr}")
        return done.stdout

    def submit(self, user, *words):
        """Runs sbatch as a user of USERS; returns the job's number."""
        self.last_job = int(
            self.run("sbatch", "--parsable", "-A", USERS[user], "-o", "/dev/null", *words,
                     user=user, group=pwd.getpwnam(user).pw_gid, extra_groups=[])
        )  # fmt: skip
        return self.last_job

    def wait_until_idle(self, seconds):
        """Until no job is left: neither waits, nor runs, nor is cleaned up after, nor is still on its
        way to the accounting."""
        self.until(lambda: not self.run("squeue", "-h"), seconds, "jobs are left")
        self.until(self.all_is_accounted, 60, "the accounting does not know all jobs")

    def all_is_accounted(self):
        jobs = dict(
            line.split("|")
            for line in self.run("sacct", "-a", "-X", "-n", "-P", "-S", "2020-01-01", "-o", "JobIDRaw,State")
            .splitlines()
        )  # fmt: skip
        return str(self.last_job) in jobs and not {"PENDING", "RUNNING"} & set(jobs.values())

    # Starting

    def write_files(self):
        for name in ("state", "spool", "dev", "log", "munge", "sql"):
            (self.folder / name).mkdir(parents=True)
        self.folder.chmod(0o755)  # users read slurm.conf
        ports = free_ports(NODES + 2)
        values = {
            "folder": self.folder,
            "ctld_port": ports,
            "dbd_port": ports + 1,
            "node_ports": f"{ports + 2}-{ports + 1 + NODES}",
            "nodes": NODES,
            "gpus": GPUS_OF_A_NODE,
            "password": secrets.token_hex(16),
        }
        self.password = values["password"]
        (self.folder / "slurm.conf").write_text(SLURM_CONF.format(**values))
        dbd = self.folder / "slurmdbd.conf"
        dbd.touch(0o600)
        dbd.write_text(DBD_CONF.format(**values))
        (self.folder / "gres.conf").write_text(
            f"NodeName=n[1-{NODES}] Name=gpu Type=h100 File={self.folder}/dev/nvidia[0-{GPUS_OF_A_NODE - 1}]\n"
        )
        half = NODES // 2
        (self.folder / "topology.conf").write_text(
            f"SwitchName=leaf1 Nodes=n[1-{half}]\nSwitchName=leaf2 Nodes=n[{half + 1}-{NODES}]\n"
            "SwitchName=spine Switches=leaf[1-2]\n"
        )
        for gpu in range(GPUS_OF_A_NODE):
            (self.folder / f"dev/nvidia{gpu}").touch()

    def start_munge(self):
        munge = self.folder / "munge"
        (munge / "key").touch(0o600)
        (munge / "key").write_bytes(secrets.token_bytes(64))
        self.start("munged", "munged", "--foreground", f"--socket={munge}/socket",
                   f"--key-file={munge}/key", f"--pid-file={munge}/pid", f"--log-file={munge}/log",
                   f"--seed-file={munge}/seed")  # fmt: skip
        self.until((munge / "socket").exists, 30, "munged has no socket")

    def start_accounting(self):
        sql = self.folder / "sql"
        shutil.chown(sql, "mysql", "mysql")
        self.run("mariadb-install-db", "--no-defaults", "--user=mysql", f"--datadir={sql}/data",
                 "--auth-root-authentication-method=normal", "--skip-test-db", seconds=120)  # fmt: skip
        self.start("mariadbd", "mariadbd", "--no-defaults", "--user=mysql", f"--datadir={sql}/data",
                   f"--socket={sql}/socket", f"--pid-file={sql}/pid", "--skip-networking",
                   "--innodb-flush-log-at-trx-commit=0", "--innodb-lock-wait-timeout=900")  # fmt: skip
        statement = (
            "CREATE DATABASE slurm_acct_db; "
            f"CREATE USER slurm@localhost IDENTIFIED BY '{self.password}'; "
            "GRANT ALL ON slurm_acct_db.* TO slurm@localhost;"
        )
        client = ("mariadb", "--no-defaults", f"--socket={sql}/socket", "-u", "root", "-e")
        self.until(lambda: self.works(*client, "SELECT 1"), 60, "mariadbd does not answer")
        self.run(*client, statement)
        self.start("slurmdbd", "slurmdbd", "-D")
        self.until(lambda: self.works("sacctmgr", "-n", "show", "qos"), 60, "slurmdbd does not answer")
        manage = ("sacctmgr", "-i", "add")
        self.run(*manage, "cluster", "bed")
        for name, priority in QOS.items():
            self.run(*manage, "qos", name, f"Priority={priority}")
        for name, share in ACCOUNTS.items():
            self.run(*manage, "account", name, f"Fairshare={share}", "Cluster=bed")
        for name, account in USERS.items():
            levels = ",".join(["normal", *QOS])
            self.run(*manage, "user", name, f"Account={account}", f"QOS={levels}", "DefaultQOS=normal")

    def start_controller(self):
        self.start("slurmctld", "slurmctld", "-D", "-c")
        self.until(lambda: self.works("scontrol", "ping"), 60, "slurmctld does not answer")
        for node in range(1, NODES + 1):
            self.start(f"slurmd-n{node}", "slurmd", "-D", "-N", f"n{node}")
        self.until(self.all_nodes_are_idle, 120, "not all nodes are up")

    def all_nodes_are_idle(self):
        return self.run("sinfo", "-h", "-o", "%t %D").split() == ["idle", str(NODES)]

    def works(self, *words):
        try:
            self.run(*words, seconds=20)
        except (SlurmFailed, subprocess.TimeoutExpired):
            return False
        return True

    def start(self, name, *words):
        with open(self.folder / f"log/{name}", "ab") as log:
            process = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=log, cwd="/")  # fmt: skip
        self.processes.append((name, process))

    def until(self, condition, seconds, complaint):
        deadline = time.monotonic() + seconds
        while not condition():
            for name, process in self.processes:
                if process.poll() is not None:
                    raise SlurmFailed(f"{name} ended with {process.returncode}\n{self.log_of(name)}")
            if time.monotonic() > deadline:
                logs = "\n".join(self.log_of(name) for name, _ in self.processes)
                raise SlurmFailed(f"{complaint} after {seconds} s\n{logs}")
            time.sleep(0.2)

    def log_of(self, name):
        lines = (self.folder / f"log/{name}").read_text(errors="replace").splitlines()
        return "\n".join([f"log of {name}:", *lines[-10:]])

    # Stopping

    def stop(self):
        if any(name == "slurmctld" for name, _ in self.processes):
            self.works("scancel", "--quiet", *[f"--user={user}" for user in USERS])
        for name, process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for pid in self.left_over():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def left_over(self):
        """Processes of this cluster: they have its slurm.conf in their environment."""
        mark = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if not re.fullmatch(r"\d+", entry.name):
                continue
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue  # it has ended, or is the kernel's
        return found
