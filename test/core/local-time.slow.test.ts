import assert from "node:assert/strict";
import { test } from "node:test";
import { instant } from "../../src/core/instant.ts";
import { localInstant, localWall } from "../../src/core/local-time.ts";

const SECOND = 1_000_000;
const DAY = 86_400 * SECOND;
const START = Date.UTC(1900, 0, 1) * 1000;
const END = Date.UTC(2037, 0, 1) * 1000;

/** The zone's offset at an instant, straight from Intl; only how a text like GMT-05:17 is read is kept. */
function offsetOf(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    day: "numeric",
    timeZoneName: "longOffset",
  });
  return (at) => {
    const text = format.format(Math.floor(at / 1000));
    const offset = text.slice(text.indexOf("GMT"));
    let read = offsets.get(offset);
    if (read === undefined) {
      const parts = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(offset) as string[];
      const seconds = Number(parts[2] ?? 0) * 3600 + Number(parts[3] ?? 0) * 60 + Number(parts[4] ?? 0);
      read = (parts[1] === "-" ? -seconds : seconds) * SECOND;
      offsets.set(offset, read);
    }
    return read;
  };
}
const offsets = new Map<string, number>();

/** Instants from which another offset holds, with the offsets before and after. */
function changesOf(offset: (at: number) => number): [at: number, before: number, after: number][] {
  const changes: [number, number, number][] = [];
  for (let start = START, before = offset(START); start < END; start += 5 * DAY) {
    const after = offset(start + 5 * DAY);
    if (after !== before) {
      let [low, high] = [start, start + 5 * DAY];
      while (high - low > SECOND) {
        const middle = Math.floor((low + high) / 2 / SECOND) * SECOND;
        if (offset(middle) === before) low = middle;
        else high = middle;
      }
      changes.push([high, before, offset(high)]);
    }
    before = after;
  }
  return changes;
}

test("localInstant, localWall: near every change of every zone since 1900, the definition by trial of both offsets", () => {
  let seen = 0;
  for (const zone of Intl.supportedValuesOf("timeZone")) {
    const offset = offsetOf(zone);
    for (const [at, before, after] of changesOf(offset)) {
      seen++;
      for (const apart of [-7200, -3600, -1800, -1, 0, 1, 1800, 3600, 7200]) {
        for (const wall of [at + before + apart * SECOND, at + after + apart * SECOND]) {
          const fitting = [wall - before, wall - after].filter((t) => t + offset(t) === wall);
          const expected = fitting.length === 0 ? wall - before : Math.min(...fitting);
          assert.equal(localInstant(zone, wall), expected, `${zone}: ${wall}`);
        }
      }
      for (const near of [at - 1, at, at + SECOND, at + 6 * 3600 * SECOND, at - 6 * 3600 * SECOND])
        assert.equal(localWall(zone, instant(near)), near + offset(near), `${zone}: ${near}`);
    }
  }
  assert.ok(seen > 20_000, `${seen} changes were found`);
});
