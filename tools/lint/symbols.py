"""The objects of ring 0 need no clock, randomness, thread, file, socket or environment; no module
needs NSS or loads libraries, which a static program cannot do."""

import re
import sys

import archives
import tree as trees

sys.path.insert(0, str(trees.ROOT / "tools"))
import layers as table  # noqa: E402

NSS = re.compile(
    r"^(getpw(uid|nam|ent)(_r)?|getgr(gid|nam|ent)(_r)?|getgrouplist|initgroups|getaddrinfo"
    r"|getnameinfo|gethostby(name2?|addr)(_r)?|getserv(byname|byport)(_r)?|getlogin(_r)?"
    r"|dlopen|iconv_open)$")

WORLD = {
    "time": r"clock_gettime|gettimeofday|time|clock|timespec_get|localtime(_r)?|mktime|tzset"
            r"|_ZNSt6chrono\w*clock3nowEv|nanosleep|usleep|sleep|timer_\w+|timerfd_\w+",
    "randomness": r"s?rand(_r)?|s?random|[delnmj]rand48|getrandom|getentropy|arc4random\w*"
                  r"|_ZNSt13random_device\w+",
    "threads": r"pthread_(create|join|detach|mutex_\w+|cond_\w+|rwlock_\w+)|_ZNSt6thread\w+"
               r"|_ZNSt18condition_variable\w+|_ZNSt12__basic_future\w+|sem_\w+|futex",
    "files": r"(f|fre|fd)?open(at)?(64)?|creat|opendir|readdir(64)?|p?read(64|v)?|p?write(64|v)?"
             r"|close|unlink(at)?|rename(at2?)?|mkdir(at)?|rmdir|[fl]?stat(at|x)?(64)?|access"
             r"|chdir|getcwd|realpath|readlink(at)?|symlink(at)?|mmap(64)?|memfd_create|pipe2?"
             r"|fcntl|ioctl|_ZNSt13basic_filebuf\w+|_ZNSt14basic_[io]fstream\w+"
             r"|_ZNSt10filesystem(?!7__cxx114path)\w+",
    "sockets": r"socket(pair)?|bind|listen|connect|accept4?|send(to|msg)?|recv(from|msg)?|p?poll"
               r"|select|epoll_\w+|gethostname|uname|if_\w+",
    "the environment": r"(secure_)?getenv|(un)?setenv|putenv|environ|__environ|setlocale",
    "processes": r"v?fork|clone|exec\w+|posix_spawnp?|wait(pid|id)?|kill|getppid|getpid|getuid"
                 r"|system|popen|signal|sigaction|raise|exit|_exit|syscall",
    "standard streams": r"_ZSt[34](cout|cerr|clog|cin)|_ZNSt8ios_base4Init\w+|puts|printf|putchar"
                        r"|stdin|stdout",
}
BANNED = {what: re.compile(f"^({pattern})$") for what, pattern in WORLD.items()}


def check(tree):
    modules, _ = table.load()
    findings = []
    for name, archive in archives.of_modules(tree.root, modules).items():
        findings += of_module(name, modules[name]["ring"], archive)
    return findings


def of_module(name, ring, archive):
    findings = []
    for symbol, member in archive.needs.items():
        path = f"src/{name}/{member.removesuffix('.o')}"
        if NSS.match(symbol):
            findings.append(trees.Finding(path, 1, f"needs {symbol}: no NSS, no foreign libraries"))
        for what, pattern in BANNED.items() if ring == 0 else ():
            if pattern.match(symbol):
                readable = archives.demangle([symbol])[0]
                findings.append(trees.Finding(
                    path, 1, f"needs {readable}: ring 0 does not know {what}"))
    return findings
