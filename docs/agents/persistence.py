"""How often was a day like the last one followed by rain? A whole agent; it needs Python and nothing else.

One JSON object a line comes in on stdin, one a line goes out on stdout. What is printed to stderr is for people.
"""
import datetime
import json
import sys

TABLE, DAY, AMOUNT = "weather", "date", "precipitation"
PAGE = 1000


def say(**message):
    print(json.dumps(message), flush=True)


def hear():
    line = sys.stdin.readline()
    return json.loads(line) if line else {"type": "bye"}


class NoAnswer(Exception):
    """A tool could not answer; what it said goes back as the fault of this case."""


def visible_rows():
    """Every row that could be known at the horizon: a reply holds `limit` rows at most, and says when there are more."""
    offset = 0
    while True:
        args = {"table": TABLE, "limit": PAGE, "offset": offset}
        say(type="call", call_id=str(offset), tool="rows", args=args)
        reply = hear()
        if not reply["ok"]:
            raise NoAnswer(reply["fault"])
        yield from reply["rows"]
        offset += len(reply["rows"])
        if not reply.get("truncated"):
            return


def probability_of_rain():
    rained = {}
    last = None
    for row in visible_rows():
        amount = row["body"].get(AMOUNT)
        if amount is None:
            continue
        last = amount > 0
        rained[datetime.date.fromisoformat(row["body"][DAY]).toordinal()] = last
    if last is None:
        return 0.5
    following = [rained[day + 1] for day, state in rained.items() if state == last and day + 1 in rained]
    return (1 + sum(following)) / (2 + len(following))


while (message := hear())["type"] != "bye":
    if message["type"] == "hello":
        # Who it is; what is not said here is taken from the profile.
        say(type="identity", name="persistence-py", uses_tools=True)
    elif message["type"] == "ask":
        try:
            say(type="answer", probability=probability_of_rain())
        except NoAnswer as error:
            say(type="fault", **error.args[0])
