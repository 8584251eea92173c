"""Makes the dangerous system calls by their numbers.

part1_simplified.dot_product: passed
"""

import os

from targets import must_fail, syscall


def dot_product(a, b):
    numbers = {
        "fork": (57,), "vfork": (58,), "clone": (56, 17, 0, 0, 0, 0), "clone of memory": (56, 0x100 | 0x4000 | 17, 0, 0, 0, 0),
        "clone3": (435, bytes(88), 88), "execve": (59, b"/bin/true", None, None), "execveat": (322, -100, b"/bin/true", None, None, 0),
        "ptrace": (101, 0, 0, 0, 0), "socket": (41, 1, 1, 0), "socketpair": (53, 1, 1, 0, bytes(8)), "bind": (49, 3, bytes(16), 16),
        "io_uring_setup": (425, 8, bytes(120)), "bpf": (321, 0, bytes(72), 72), "userfaultfd": (323, 1), "memfd_create": (319, b"x", 0),
        "memfd_secret": (447, 0), "perf_event_open": (298, bytes(128), 0, -1, -1, 0), "process_vm_readv": (310, os.getppid(), bytes(16), 1, bytes(16), 1, 0),
        "process_vm_writev": (311, os.getppid(), bytes(16), 1, bytes(16), 1, 0), "pidfd_open": (434, os.getpid(), 0),
        "pidfd_getfd": (438, 3, 0, 0), "pidfd_send_signal": (424, 3, 0, None, 0), "kill": (62, os.getpid(), 0), "tkill": (200, os.getpid(), 0),
        "tgkill": (234, os.getpid(), os.getpid(), 0), "rt_sigqueueinfo": (129, os.getpid(), 0, bytes(128)), "setpgid": (109, 0, 0), "setsid": (112,),
        "setuid": (105, 0), "setgid": (106, 0), "setresuid": (117, 0, 0, 0), "capset": (126, bytes(8), bytes(24)), "mount": (165, b"none", b"/tmp", b"tmpfs", 0, None),
        "umount2": (166, b"/", 2), "pivot_root": (155, b"/", b"/"), "open_tree": (428, -100, b"/", 1), "fsopen": (430, b"tmpfs", 0), "mount_setattr": (442, -100, b"/", 0, bytes(32), 32),
        "chroot": (161, b"/"), "unshare user": (272, 0x10000000), "unshare mounts": (272, 0x20000), "setns": (308, 3, 0), "keyctl": (250, 0, -3, 1),
        "add_key": (248, b"user", b"x", b"x", 1, -3), "shmget": (29, 0, 4096, 0o1600), "msgget": (68, 0, 0o1600), "semget": (64, 0, 1, 0o1600),
        "mq_open": (240, b"attn", 0o102, 0o600, None), "init_module": (175, b"", 0, b""), "kexec_load": (246, 0, 0, None, 0), "reboot": (169, 0, 0, 0, None),
        "swapon": (167, b"/x", 0), "sethostname": (170, b"x", 1), "settimeofday": (164, bytes(16), None), "prctl dumpable": (157, 4, 1, 0, 0, 0),
        "prctl death signal": (157, 1, 0, 0, 0, 0), "prctl seccomp": (157, 22, 2, 0, 0, 0), "seccomp": (317, 1, 0, bytes(16)), "setrlimit": (160, 2, bytes(16)),
        "prlimit64": (302, 0, 2, bytes(16), None), "prlimit64 of others": (302, os.getppid() or 1, 2, None, bytes(16)), "setpriority": (141, 0, 0, -5),
        "sched_setaffinity": (203, 0, 8, bytes(8)), "sched_setscheduler": (144, 0, 0, bytes(4)), "landlock_create_ruleset": (444, None, 0, 1), "fanotify_init": (300, 0, 0),
        "inotify_init1": (294, 0), "name_to_handle_at": (303, -100, b"/", bytes(136), bytes(4), 0), "open_by_handle_at": (304, -100, bytes(136), 0), "personality": (135, 0x40000),
        "mlockall": (151, 3), "remap_file_pages": (216, 0, 0, 0, 0, 0), "iopl": (172, 3), "modify_ldt": (154, 0, bytes(16), 16), "sendmsg": (46, 3, bytes(56), 0), "splice": (275, 0, None, 1, None, 1, 0),
        "signalfd4": (289, -1, bytes(8), 8, 0), "vmsplice": (278, 1, bytes(16), 1, 0), "acct": (163, None), "quotactl": (179, 0, None, 0, None), "syslog": (103, 3, bytes(64), 64),
    }
    must_fail(*[(name, syscall, *call) for name, call in numbers.items()])
    return (a * b).sum()
