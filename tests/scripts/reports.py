"""reports.py: the reports of a program, as --report list has them."""
import subprocess


def reports_of(program, but=()):
    """The names of all reports, but some of which a test says why it leaves them out; these exist, too."""
    said = subprocess.run([program, "--report", "list"], capture_output=True, text=True, check=True).stdout
    names = [line.split()[0] for line in said.splitlines()]
    assert len(names) > 10 and set(but) <= set(names), f"reports: {names}"
    return [name for name in names if name not in but]


def forms_of(reports, *more):
    """Each report, and behind it the other ways of asking for it: "traffic --by node"."""
    return [form for name in reports for form in [name, *(m for m in more if m.split()[0] == name)]]
