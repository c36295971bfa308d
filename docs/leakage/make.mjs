// Makes answers.csv and models.csv of this folder: `node docs/leakage/make.mjs [--out FOLDER]`; seeded, without a clock.
// Three models that are not real forecast 150 events, five a month; the outcome is each forecast's Brier score. `tortoise`
// can know none of them. `hare` remembers four fifths of what happened by its cutoff. `fox` does too, but what it remembers
// fades out over the seven months to 2025-01, and its makers say 2025-03.
import * as fs from "node:fs";
import * as path from "node:path";
import { stream } from "../dice.mjs";

const out = process.argv[2] === "--out" ? path.resolve(process.argv[3]) : import.meta.dirname;

const FIRST = 2023 * 12 + 6; // July
const MONTHS = 30;
const A_MONTH = 5;
const month = (text) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5)) - 1;
const shown = (index) => `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, "0")}`;

const models = [
  { name: "tortoise", cutoff: "2023-06", lo: "2023-06", skill: 0, remembers: () => 0 },
  { name: "hare", cutoff: "2024-09", lo: "2024-09", skill: 0.02, remembers: (at) => (at <= month("2024-09") ? 0.8 : 0) },
  {
    name: "fox",
    cutoff: "2025-03",
    lo: "2024-10",
    skill: 0.03,
    remembers: (at) => 0.8 * Math.min(1, Math.max(0, (month("2025-01") - at) / 7)),
  },
];

const next = stream(42);
const rows = ["model,event,month,outcome"];
for (let m = 0; m < MONTHS; m++) {
  const era = 0.2 + 0.001 * m + 0.03 * (next() - 0.5);
  for (let i = 0; i < A_MONTH; i++) {
    const difficulty = era + 0.12 * (next() - 0.5);
    const event = `${shown(FIRST + m)}-${"abcde"[i]}`;
    for (const { name, skill, remembers } of models) {
      const score = (difficulty - skill + 0.08 * (next() - 0.5)) * (1 - remembers(FIRST + m));
      rows.push(`${name},${event},${shown(FIRST + m)},${Math.max(0, score).toFixed(3)}`);
    }
  }
}
fs.mkdirSync(out, { recursive: true });
fs.writeFileSync(path.join(out, "answers.csv"), `${rows.join("\n")}\n`);
fs.writeFileSync(
  path.join(out, "models.csv"),
  `model,cutoff,cutoff_lo,cutoff_hi\n${models.map(({ name, cutoff, lo }) => `${name},${cutoff},${lo},${cutoff}\n`).join("")}`,
);
