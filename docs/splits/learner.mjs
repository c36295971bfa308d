/** Learns from the labels of its fold alone: says how often what was asked came true, of those that were known by then. */

export const reader = {
  identity: {
    name: "learner",
    snapshot: "none",
    pretrain_cutoff: "none",
    posttrain_cutoff: "none",
    temperature: 0,
    prompt_digest: "none",
    uses_tools: true,
  },
  async answer(_, tools) {
    let [events, labels] = [0, 0];
    for (let more = true; more; ) {
      const reply = await tools.call("training", { offset: labels, limit: 100 });
      if (!reply.ok) throw new Error(reply.fault.message);
      for (const { body } of reply.rows) events += body.outcome;
      labels += reply.rows.length;
      more = reply.truncated === true;
    }
    return { kind: "answer", probability: (1 + events) / (2 + labels) };
  },
};
