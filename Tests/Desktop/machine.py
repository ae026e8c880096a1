"""The machine as the test sees it: mounts, network and user of its own, in the namespaces that 'run' has made."""
import ctypes
import fcntl
import os
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import sys

ROOT = "/run/desktop"
BIN = ROOT + "/bin"
HOME = ROOT + "/home"
USER = "desktop"
DEVICES = ["null", "zero", "full", "random", "urandom", "tty"]


def isolate(programs):
    """Puts the machine behind mounts that only this process and its children see, and becomes an ordinary user."""
    sources = [open(program, "rb") for program in programs]
    uid = next(number for number in range(60100, 60500) if not is_taken(number))
    start_loopback()
    mount("tmpfs", "/run", "mode=755")
    make_devices()
    mount("tmpfs", "/tmp", "mode=1777")
    os.makedirs(BIN)
    for source, program in zip(sources, programs):
        with source, open(os.path.join(BIN, os.path.basename(program)), "wb") as copy:
            shutil.copyfileobj(source, copy)
            os.fchmod(copy.fileno(), 0o755)
    add_user(uid)
    # Chromium reads managed policies only here.
    mount("tmpfs", "/etc/chromium", "mode=755")
    policies = "/etc/chromium/policies/managed"
    os.makedirs(policies)
    for folder in (HOME, "/run/user/%d" % uid, policies):
        os.makedirs(folder, exist_ok=True)
        os.chown(folder, uid, uid)
        os.chmod(folder, 0o700)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    # The change of the user has reset both: this process ends with its parent, and its user may inspect it.
    prctl = ctypes.CDLL(None).prctl
    prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
    prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE
    # The first process of a namespace ignores signals that it does not handle.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.umask(0o022)
    os.chdir(HOME)


def mount(kind, target, options=""):
    # Terminals are devices.
    safe = "nosuid," if kind == "devpts" else "nosuid,nodev,"
    subprocess.run(["mount", "-t", kind, "-o", safe + options, kind, target], check=True)


def bind(source, target):
    subprocess.run(["mount", "--bind", source, target], check=True)


def is_taken(uid):
    try:
        pwd.getpwuid(uid)
        return True
    except KeyError:
        return False


def start_loopback():
    with socket.socket() as any_socket:
        request = struct.pack("16sh22x", b"lo", 0x1 | 0x40)  # IFF_UP, IFF_RUNNING
        fcntl.ioctl(any_socket, 0x8914, request)  # SIOCSIFFLAGS


def make_devices():
    """Makes a /dev in which there can be a log socket that no other process sees."""
    folder = "/run/dev"
    os.mkdir(folder)
    mount("tmpfs", folder, "mode=755")
    for name in DEVICES:
        open(os.path.join(folder, name), "w").close()
        bind("/dev/" + name, os.path.join(folder, name))
    for name in ("pts", "shm"):
        os.mkdir(os.path.join(folder, name))
    mount("devpts", folder + "/pts", "newinstance,ptmxmode=0666,mode=620")
    mount("tmpfs", folder + "/shm", "mode=1777")
    for name, target in (("ptmx", "pts/ptmx"), ("fd", "/proc/self/fd"), ("stdin", "/proc/self/fd/0"),
                         ("stdout", "/proc/self/fd/1"), ("stderr", "/proc/self/fd/2")):
        os.symlink(target, os.path.join(folder, name))
    os.chmod(folder, 0o1777)
    subprocess.run(["mount", "--move", folder, "/dev"], check=True)


def add_user(uid):
    """Adds a user to the databases that this namespace sees."""
    for name, line in (("passwd", "%s:x:%d:%d::%s:/bin/sh\n" % (USER, uid, uid, HOME)),
                       ("group", "%s:x:%d:\n" % (USER, uid))):
        with open("/etc/" + name) as database:
            text = database.read()
        path = os.path.join(ROOT, name)
        with open(path, "w") as database:
            database.write(text + line)
        bind(path, "/etc/" + name)
