/** Ctrl-C, and whoever else asks a process to end: trajectories in flight are finished, what was recorded is kept, exit status 3. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { environment, main, temporaryFolder, workspace } from "./command-line.ts";

const folder = temporaryFolder();
after(() => fs.rmSync(folder, { recursive: true }));

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  it(`run.interrupted: a run that is stopped by ${signal} keeps its journal and says how far it came`, async () => {
    const out = path.join(folder, signal);
    const words = ["backtest", "seattle-rain", "--reader", "persistence", "--out", out];
    const child = spawn(process.execPath, [main, ...words], { cwd: workspace, env: environment });
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const journal = path.join(out, "journal.jsonl");
    for (let i = 0; i < 600 && !(fs.existsSync(journal) && fs.statSync(journal).size > 0); i++)
      await wait(50);
    child.kill(signal);
    assert.equal(await ended, 3, said);
    assert.match(said, /stopped after \d+ of 730 trajectories/);
    const lines = fs.readFileSync(journal, "utf8").trimEnd().split("\n");
    const done = Number(/stopped after (\d+) of/.exec(said)?.[1]);
    assert.ok(done > 0 && done < 730, said);
    assert.equal(lines.filter((line) => JSON.parse(line).kind === "end").length, done);
    assert.ok(!fs.existsSync(path.join(out, "report.json")));
  });
