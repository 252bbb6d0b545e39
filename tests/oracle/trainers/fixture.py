"""fixture.py < MEASURED: the lines that are kept, without what did not run; models that the catalog has by their name alone."""
import json, sys

for line in sys.stdin:
    if not line.startswith("{"):
        continue
    case = json.loads(line)
    if "error" in case:
        continue
    measured = case["measured"]
    files = case["files"]
    kept = dict(id=case["id"], trainer=case["trainer"], versions=case["versions"], **(dict(config=files["config.yaml"]) if list(files) == ["config.yaml"] else dict(files=files)))
    if case.get("set"):
        kept["set"] = case["set"]
    print(json.dumps(dict(kept, measured=measured)))
