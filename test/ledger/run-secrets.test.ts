/** Open runs: a secret that only its owner reads, kept until the run closes, and one process that writes the run. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { refused, refusedLater } from "../core/refused.ts";
import { aPlace, RUN, read, runOf } from "./a-ledger.ts";
import { childOf, describe, words } from "./children.ts";

if (words[0] === "hold") {
  await aPlace(words[1] as string)
    .open()
    .hold(RUN);
  console.log("held");
  await sleep(600_000);
}

const secret = { secret: "5e".repeat(32), salt: "a1".repeat(32) };
const modeOf = (file: string) => (fs.statSync(file).mode & 0o777).toString(8);

describe("secrets of runs", () => {
  it("are kept for their owner alone, outside of every run folder, until they are forgotten", () => {
    const place = aPlace();
    const ledger = place.open();
    assert.equal(ledger.secretOf(RUN), null);
    ledger.keepSecret(RUN, secret);
    const file = path.join(place.workspace, "ledgers", "open", RUN, "secret.json");
    assert.equal(read(file), `{"salt":"${secret.salt}","secret":"${secret.secret}"}\n`);
    if (process.platform !== "win32")
      assert.deepEqual([modeOf(file), modeOf(path.dirname(file))], ["600", "700"]);
    assert.deepEqual(fs.readdirSync(path.dirname(file)), ["secret.json"]);
    assert.deepEqual(place.open().secretOf(RUN), secret);
    assert.equal(ledger.secretOf(runOf(1)), null);
    ledger.forgetSecret(RUN);
    ledger.forgetSecret(RUN);
    assert.equal(ledger.secretOf(RUN), null);
    assert.deepEqual(fs.readdirSync(path.join(place.workspace, "ledgers", "open")), []);
  });

  it("are kept once, and only as 64 digits each", () => {
    const ledger = aPlace().open();
    assert.throws(() => ledger.keepSecret(RUN, { ...secret, salt: "a1" }), { name: "Bug" });
    ledger.keepSecret(RUN, secret);
    assert.throws(() => ledger.keepSecret(RUN, secret), { name: "Bug" });
  });

  it("FieldInvalid: a file that holds something else, of which nothing is said", () => {
    const place = aPlace();
    place.open().keepSecret(RUN, secret);
    const file = path.join(place.workspace, "ledgers", "open", RUN, "secret.json");
    fs.writeFileSync(file, read(file).replace("}\n", "}"));
    const error = refused("FieldInvalid", () => place.open().secretOf(RUN));
    assert.equal(error.details.place, file);
    assert.ok(!error.message.includes(secret.secret) && !error.message.includes(secret.salt));
    fs.writeFileSync(file, `${read(file)}\n`);
    assert.deepEqual(place.open().secretOf(RUN), secret);
  });
});

describe("hold of a run", () => {
  it("RunLocked: names who holds it; another run is free, and so is this one afterwards", async () => {
    const place = aPlace();
    const release = await place.open().hold(RUN);
    const error = await refusedLater("RunLocked", () => place.open().hold(RUN));
    assert.equal(error.details.run, RUN);
    assert.match(error.message, new RegExp(`run ${RUN}: held by process ${process.pid} on this machine`));
    (await place.open().hold(runOf(1)))();
    release();
    release();
    (await place.open().hold(RUN))();
  });

  it("goes with its folder where the run is closed, and stays where it was stopped", async () => {
    const place = aPlace();
    const folder = path.join(place.workspace, "ledgers", "open", RUN);
    const ledger = place.open();
    const first = await ledger.hold(RUN);
    ledger.keepSecret(RUN, secret);
    first();
    assert.deepEqual(fs.readdirSync(folder).sort(), ["run.1.lock", "secret.json"]);
    const second = await place.open().hold(RUN);
    assert.deepEqual(fs.readdirSync(folder).sort(), ["run.2.lock", "secret.json"]);
    if (process.platform !== "win32") assert.equal(modeOf(folder), "700");
    ledger.forgetSecret(RUN);
    await refusedLater("RunLocked", () => place.open().hold(RUN));
    second();
    assert.deepEqual(fs.readdirSync(path.dirname(folder)), []);
  });

  it("ends with a process that is killed", async () => {
    const place = aPlace();
    const child = childOf(import.meta.filename, ["hold", place.workspace]);
    await child.printed(1);
    const error = await refusedLater("RunLocked", () => place.open().hold(RUN));
    assert.match(error.details.holder, new RegExp(`process ${child.process.pid} `));
    child.process.kill("SIGKILL");
    await child.ended;
    (await place.open().hold(RUN))();
  });
});
