/** The entities of a case set as a run keeps them: the index in its one spelling, its digest, and what finds them in a text. */
import { type EntityFinder, entityFinder, entityIndexText } from "../caseset/entity-names.ts";
import type { CaseSet } from "../caseset/load.ts";
import { type Digest, digestOf } from "../core/digest.ts";
import type { Store } from "../store/door.ts";
import { entityIndex } from "../store/entity-index.ts";

export type KnownEntities = {
  readonly text: string;
  readonly digest: Digest;
  readonly find: EntityFinder;
  /** How many there are. */
  readonly count: number;
};

/** Made of every table of the set, whenever its rows became available: it is for judging, and no reader sees it. */
export function knownEntities(set: Pick<CaseSet, "entities">, store: Store): KnownEntities {
  const index = entityIndex(store, set.entities);
  const text = entityIndexText(index);
  return { text, digest: digestOf(text), find: entityFinder(index), count: index.length };
}
