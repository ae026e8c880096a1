"""A login of a program on another machine or in a container, whose link the browser opens here, as the documents say."""
import os
import re

from home import until
from session import Session, stop

with open(os.path.join(os.path.dirname(__file__), "../../Docs/HowTo/ReceiveInAScript.md")) as file:
    DOCUMENT = file.read()
CONFIGURATION = re.search("```yaml\n(schemes: .*?)```", DOCUMENT, re.DOTALL)[1]
FORWARD = re.search("^ssh -R .*", DOCUMENT, re.MULTILINE)[0]
LISTEN = "state=7; " + re.search("`(xcallback listen [^`]* --socket /tmp/login.socket)`", DOCUMENT)[1]
SERVER = """Port 2222
ListenAddress 127.0.0.1
HostKey %(home)s/key
AuthorizedKeysFile %(home)s/key.pub
StrictModes no
UsePAM no
PidFile none
SetEnv PATH=%(path)s
"""
CLIENT = """Host server
HostName 127.0.0.1
Port 2222
IdentityFile %(home)s/key
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
"""
LINK = "com.example.app:/oauth2redirect?%s&state=7"
# How the login ends, what the script prints, and its exit status.
OUTCOMES = {"code=4%2F0A": ("4/0A\n", 0), "error=access_denied": ("xcallback: error=access_denied, state=7\n", 1)}


def run(test):
    home = test.home
    stop(home.daemon)
    home.write("config.yaml", CONFIGURATION)
    home.socket = home.environment["XDG_RUNTIME_DIR"] + "/xcallbackd/socket"
    os.makedirs(os.path.dirname(home.socket), 0o700, exist_ok=True)
    home.environment.pop("XCALLBACK_SOCKET")
    home.serve()
    home.run(["xcallback", "register", "--default", "com.example.app"], DISPLAY=test.display.name)
    values = {"home": home.path, "path": home.environment["PATH"]}
    home.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", home.path + "/key"])
    home.write("sshd_config", SERVER % values)
    home.write(".ssh/config", CLIENT % values, 0o600)
    # The first is what podman does, the second Docker with '--user'.
    sandbox = ["bwrap", "--unshare-all", "--dev-bind", "/", "/", "--proc", "/proc", "--tmpfs", "/run/user",
               "--tmpfs", "/tmp", "--bind", home.socket, "/tmp/login.socket"]
    ways = {"over ssh": ["sh", "-c", FORWARD + ' "$1"', "sh", LISTEN],
            "in a container as root": [*sandbox, "--uid", "0", "--gid", "0", "sh", "-c", LISTEN],
            "in a container": [*sandbox, "sh", "-c", LISTEN]}
    with Session(home, test.display, "GNOME") as session:
        session.start(["/usr/sbin/sshd", "-D", "-e", "-f", home.path + "/sshd_config"], home.path + "/sshd.log")
        until(lambda: "listening" in home.read("sshd.log"), "sshd does not start")
        for way, words in ways.items():
            for item, expected in OUTCOMES.items():
                script = session.start(words, output=home.path + "/login.log")
                if way == "over ssh":
                    until(lambda: os.path.exists("/tmp/login.socket"), "ssh does not forward")
                session.run(["xdg-open", LINK % item])
                status = script.wait(30)
                test.checks.equal("a login %s ends: %s" % (way, item), (home.read("login.log"), status), expected)
                if way == "over ssh":
                    os.unlink("/tmp/login.socket")
