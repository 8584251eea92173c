"""The environment of a process that runs students' code."""

ENVIRONMENT = {
    "CUDA_VISIBLE_DEVICES": "-1",
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
}
"""The environment of a warm process. One thread, whatever a submission sets, for others are lost in a fork; large pages, which fork sooner; no GPU.

Answers are compared on the CPU. Where torch sees a GPU, a backward pass starts a thread for it, and after a fork there is no other.
"""
