/** Key files: where a person's key lies, who may read it, and what others need in order to trust it. */
import * as fs from "node:fs";
import * as path from "node:path";
import { limits } from "../core/limits.ts";
import { cause } from "../core/lines.ts";
import { refuse } from "../core/refusal.ts";
import { keyId, type Signer, signerOf } from "../ledger/node-signatures.ts";
import { isOrigin, logKeyOf, ORIGIN } from "../ledger/signed-log.ts";
import { formatVerifierKey } from "../ledger/verifier-key.ts";
import { type Raw, text } from "./arguments.ts";

/** `<XDG_CONFIG_HOME or ~/.config>/blindcast/key.pem`; null where the environment names neither. */
export function defaultKeyFile(): string | null {
  const config = process.env["XDG_CONFIG_HOME"];
  const home = process.env["HOME"] ?? "";
  // The XDG base directory specification: a path that is not absolute is ignored.
  const folder =
    config !== undefined && path.isAbsolute(config)
      ? config
      : home === ""
        ? null
        : path.join(home, ".config");
  return folder === null ? null : path.join(folder, "blindcast", "key.pem");
}

/** The key of a PKCS#8 PEM file; refuses KeyUnreadable, and KeyPermissions where the group or others can read it. */
export function loadSigner(file: string): Signer {
  // Not blocking: a pipe of that name has no writer, perhaps for ever.
  const handle = opened(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  try {
    const stat = fs.fstatSync(handle);
    if (!stat.isFile()) unreadable(file, "no regular file");
    if (stat.size > limits.keyFileBytes) unreadable(file, `${stat.size} bytes`);
    if (process.platform !== "win32" && (stat.mode & 0o077) !== 0)
      refuse("KeyPermissions", { place: file, found: octal(stat.mode & 0o777), expected: octal(0o600) });
    return signerOf(fs.readFileSync(handle, "utf8"), file);
  } finally {
    fs.closeSync(handle);
  }
}

const octal = (mode: number) => mode.toString(8).padStart(4, "0");

function opened(file: string, how: number): number {
  try {
    return fs.openSync(file, how);
  } catch (error) {
    return unreadable(file, cause(error));
  }
}

function unreadable(place: string, found: string): never {
  return refuse("KeyUnreadable", {
    place,
    found,
    expected: "an Ed25519 key in PKCS#8 PEM",
    next: "`blindcast keys new` makes one",
  });
}

/** `--origin`, or null; refuses what no log can be called. */
export function originOf(raw: Raw): string | null {
  const given = text(raw, "origin");
  if (given !== undefined && !isOrigin(given))
    refuse("ArgumentInvalid", { place: "--origin", found: given, expected: ORIGIN });
  return given ?? null;
}

/** What may be known of a key by everybody; `policy` is a C2SP tlog-policy that trusts this one log. */
export type PublicHalf = {
  readonly key_id: string;
  readonly origin: string;
  readonly key: string;
  readonly policy: string;
};

export function publicHalf(signer: Signer, origin: string | null): PublicHalf {
  const { key } = logKeyOf(signer, origin);
  const written = formatVerifierKey(key);
  const policy = `# Trusts the log ${key.name}, without witnesses.\nlog ${written}\nquorum none\n`;
  return { key_id: keyId(signer.publicKey), origin: key.name, key: written, policy };
}
