"""Link to the services that open a part's notebook, which is in the course's repository."""

from autograder.course.course import Course


def links_of(course: Course, part: str) -> dict[str, str]:
    """Return the addresses that open a part's notebook, by service; none without a repository.

    The last is for nbgitpuller. It is a path, which follows the address of a JupyterHub.
    """
    repository, path = course.repository, f"notebooks/{part}.ipynb"
    place = repository.removeprefix("https://github.com/")
    pulled = f"repo={repository}&urlpath=lab/tree/{place.partition('/')[2]}/{path}&branch=main"
    addresses = {
        "Colab": f"https://colab.research.google.com/github/{place}/blob/main/{path}",
        "Kaggle": f"https://kaggle.com/kernels/welcome?src={repository}/blob/main/{path}",
        "Codespaces": f"https://codespaces.new/{place}",
        "Binder": f"https://mybinder.org/v2/gh/{place}/main?labpath={path}",
        "nbgitpuller": f"/hub/user-redirect/git-pull?{pulled}",
    }
    return addresses if repository else {}


def open_in(course: Course, part: str) -> str:
    """Return the links to a part's notebook in a Markdown paragraph; empty without a repository."""
    links = links_of(course, part)
    pulled = links.pop("nbgitpuller", "")
    linked = ", ".join(f"[{service}]({address})" for service, address in links.items())
    return f"Open in {linked}; on a JupyterHub with nbgitpuller, at its address and `{pulled}`." if links else ""
