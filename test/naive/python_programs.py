"""What programs in Python make of texts: reads {"cwd", "texts"} as JSON, writes for each text the paths that they open and the hosts that they reach."""

import json
import os
import pathlib
import re
import sys
import urllib.parse
import urllib.request


def readings(text):
    """The text as programs hand it to open()."""
    forms = {text, text.strip(), urllib.parse.unquote(text)}
    forms |= {os.path.expanduser(form) for form in set(forms)}
    forms |= {os.path.expandvars(form) for form in set(forms)}
    for url in (text, text.strip()):
        try:
            parts = urllib.parse.urlsplit(url)
        except ValueError:
            continue
        if parts.scheme == "file" and parts.netloc.lower() in ("", "localhost"):
            forms.add(urllib.request.url2pathname(parts.path))
    return forms


def opened(text):
    places = set()
    for form in readings(text):
        try:
            places.add(os.path.realpath(form))
            places.add(os.path.realpath(os.path.abspath(form)))
            places.add(str(pathlib.Path(form).resolve()))
        except (ValueError, OSError, RuntimeError):
            # A NUL character, or links that lead in a circle: nothing is opened.
            continue
    return sorted(places)


def reached(text):
    hosts = set()
    for url in (text, text.strip()):
        try:
            hosts.add(urllib.parse.urlsplit(url).hostname or "")
        except ValueError:
            pass
        try:
            request = urllib.request.Request(url)
        except ValueError:
            continue
        # With an @ in it, the name is looked up as it is, and not found.
        if request.type in ("http", "https", "ftp") and "@" not in (request.host or ""):
            hosts.add(re.sub(r":\d*$", "", request.host or ""))
    return sorted(hosts - {""})


given = json.load(sys.stdin)
os.chdir(given["cwd"])
json.dump([{"paths": opened(text), "hosts": reached(text)} for text in given["texts"]], sys.stdout)
