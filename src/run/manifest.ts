/** The manifest: `run.json`, all that was fixed before the first recorded read; its digest stands in both leaves. */
import type { Digest } from "../core/digest.ts";
import type { Stamp } from "./stamp.ts";

/** The machine, as evidence: Node's version, its zone data's, its Unicode's. */
export type Host = { readonly node: string; readonly zone_data: string; readonly unicode: string };

/** An example stands in docs/formats.md. */
export type Manifest = {
  readonly v: "blindcast.run/1";
  readonly run: string;
  readonly report_version: number;
  /** The origin under which the run's leaves are signed; null: unsigned. */
  readonly ledger: string | null;
  /** The run that this one moved aside, if it did. */
  readonly replaces: string | null;
  readonly caseset: { readonly name: string; readonly digest: Digest; readonly cases: number };
  readonly stamp: Stamp;
  readonly trajectories: number;
  /** The digest of each file of what was loaded, by name. */
  readonly files: { readonly [name: string]: Digest };
  readonly host: Host;
};
