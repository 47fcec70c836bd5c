"""reports.py: the reports of a program, from --report list."""
import subprocess


def reports_of(program, but=()):
    """The names of all reports, except some that a test leaves out for a reason; these must exist,
    too."""
    said = subprocess.run([program, "--report", "list"], capture_output=True, text=True, check=True).stdout
    names = [line.split()[0] for line in said.splitlines()]
    assert len(names) > 10 and set(but) <= set(names), f"reports: {names}"
    return [name for name in names if name not in but]


def forms_of(reports, *more):
    """Each report, followed by other forms of it: "traffic --by node"."""
    return [form for name in reports for form in [name, *(m for m in more if m.split()[0] == name)]]
