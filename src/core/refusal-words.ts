/** The parts of a refusal's line: `CODE: place: subject: problem`, then `hint: …`. */
export type Words = { subject?: string; problem: string; hint?: string };
