/** Exits of casesets/saltmarsh-exchange by a count of its files' lines, without the engine. */
import * as fs from "node:fs";
import * as path from "node:path";
import { repository } from "../core/refused.ts";

const home = path.join(repository, "casesets/saltmarsh-exchange");

export const saltmarshLines = (table: string): string[][] =>
  fs
    .readFileSync(path.join(home, `tables/${table}.csv`), "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(","));
/** A time of New York, of a day of 2015 to 2018. */
const newYork = (wall: string): string => {
  const changes = ["2015-03-08", "2015-11-01", "2016-03-13", "2016-11-06", "2017-03-12", "2017-11-05"];
  return `${wall}-0${changes.filter((day) => day <= wall.slice(0, 10)).length % 2 === 1 ? 4 : 5}:00`;
};

/** From the files alone, by the days that they name: [who, return, when]; "": no row says it. */
export function countedExits(rows: readonly string[][]): string[][] {
  const firsts = saltmarshLines("prices").flatMap(([date = "", member, , , listed]) =>
    date === listed ? [{ date, member }] : [],
  );
  const days = [...new Set(firsts.map(({ date }) => date))];
  const daysOf = (who: string) => firsts.filter(({ member }) => member === who).map(({ date }) => date);
  const said = rows.map(([who, left, d, , published]) => {
    const close = `${daysOf(who as string)
      .sort()
      .at(-1)}T16:00:00.000001`;
    const sold = close < (published as string) ? close : `${published}:00`;
    const midnight = `${left}T00:00:00`;
    return [who as string, d as string, newYork(sold > midnight ? sold : midnight)];
  });
  // Of each stint the last row, in the order of the file.
  const stints = new Map(saltmarshLines("members").map((row) => [row.slice(0, 2).join(), row]));
  const silent = [...new Set(saltmarshLines("members").map(([who]) => who as string))].flatMap((who) => {
    const own = [...stints.values()].filter(([member, , from = "", to = ""]) => {
      return member === who && daysOf(who).some((day) => day >= from && (to === "" || day < to));
    });
    const ends = own.map(([, , , to = ""]) => to).sort();
    const end = ends.at(-1) ?? "";
    if (end === "" || ends[0] === "" || said.some(([member]) => member === who)) return [];
    const [a, all] = [daysOf(who), days].map((each) => each.filter((day) => day >= end).length) as [
      number,
      number,
    ];
    return a < all / 2 ? [[who, "", newYork(`${end}T00:00:00`)]] : [];
  });
  return [...said, ...silent].sort((x, y) => ((x[0] as string) < (y[0] as string) ? -1 : 1));
}
