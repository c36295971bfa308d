/** Persistence as somebody else would write it, by its definition in docs/readers.md: over tools, whoever answers them. */
import type { ServedRow, Tools } from "../../src/model/reader.ts";

type Body = ServedRow["body"];

/** (1 + pairs s→event) / (2 + pairs from s) over visible rows a calendar day apart, s the state of the last one. */
export function persistenceOf(
  table: string,
  isEvent: (body: Body) => boolean,
  day: (body: Body) => string = (body) => String(body["date"]),
): (tools: Tools) => Promise<number> {
  return async (tools) => {
    const states = new Map<string, boolean>();
    for (let offset = 0; ; ) {
      const reply = await tools.call("rows", { table, offset, limit: 1000 });
      if (!reply.ok) throw new Error(reply.fault.message);
      const rows = reply.rows ?? [];
      for (const { body } of rows) states.set(day(body), isEvent(body));
      offset += rows.length;
      if (reply.truncated !== true) break;
    }
    const days = [...states.keys()].sort();
    if (days.length === 0) return 0.5;
    const last = states.get(days.at(-1) as string);
    const followed = days.filter((one) => states.get(one) === last && states.has(next(one)));
    const events = followed.filter((one) => states.get(next(one)) === true);
    return (1 + events.length) / (2 + followed.length);
  };
}

const DAY = 86_400_000;
const next = (day: string) => new Date(Date.parse(day) + DAY).toISOString().slice(0, 10);
