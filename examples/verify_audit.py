#!/usr/bin/env python3
"""Verifies an export of Bindery's audit log: python3 verify_audit.py EXPORT.jsonl [CHAIN=HEAD ...]

Written from the description of the format alone: each line is a record in canonical JSON (RFC 8785) with its hash as the
last member; the hash is the SHA-256 of the record without it, and covers the hash of the record before. A head that was
noted, by a person or in a record of another chain, must be in its chain.
"""
import hashlib, json, re, sys

def verify(lines, noted):
    chains, anchors = {}, []
    for line in lines:
        match = re.fullmatch(r'(\{.*),"hash":"([0-9a-f]{64})"\}', line, re.S)
        if not match or hashlib.sha256((match[1] + "}").encode()).hexdigest() != match[2]:
            return "hash"
        record = json.loads(match[1] + "}")
        chains.setdefault(record["chain"], []).append((record, match[2]))
        anchors += [(chain, at["seq"], at["hash"], record["chain"]) for chain, at in record.get("anchors", {}).items()]
    for records in chains.values():
        first = records[0][0]
        if first["seq"] == 1 and first["prev_hash"] != "0" * 64:
            return "prev_hash"
        for (before, before_hash), (record, _) in zip(records, records[1:]):
            if record["seq"] != before["seq"] + 1:
                return "gap"
            if record["prev_hash"] != before_hash:
                return "prev_hash"
        points = [record.get("checkpoint", {}) for record, _ in records]
        if first["seq"] > 1 and not any(p.get("through_seq") == first["seq"] - 1 and p.get("through_hash") == first["prev_hash"] for p in points):
            return "missing_checkpoint"
    node = lambda chain: chain.rpartition("/")[0]
    for chain, seq, expected, by in anchors:
        hashes = {record["seq"]: found for record, found in chains.get(chain, [])}
        if not hashes and node(chain) == node(by):
            return "missing_chain"
        if hashes and seq >= min(hashes) and hashes.get(seq) != expected:
            return "head"
    for chain, head in noted.items():
        if chain not in chains:
            return "missing_chain"
        if head not in [found for _, found in chains[chain]]:
            return "head"

if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8", newline="\n") as export:
        bad = verify(export.read().split("\n")[:-1], dict(note.rsplit("=", 1) for note in sys.argv[2:]))
    print(bad or "ok")
    sys.exit(1 if bad else 0)
