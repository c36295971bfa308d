/** Every tidy rule. */
import { ambientRules } from "./ambient.ts";
import { homeRules } from "./homes.ts";
import { roomRules } from "./rooms.ts";
import { shapeRules } from "./shape.ts";
import type { Rule } from "./source.ts";
import { wordRules } from "./words.ts";

export const rules: readonly Rule[] = [
  ...roomRules,
  ...ambientRules,
  ...shapeRules,
  ...wordRules,
  ...homeRules,
];
