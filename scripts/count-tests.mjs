// A reporter for node --test: the number of tests that each file ran, as one JSON object at the end.
// biome-ignore lint/style/noDefaultExport: node --test takes a reporter's default export
export default async function* countTests(events) {
  const counts = {};
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const { file, name, details } = data;
    if (file === undefined || details?.type === "suite" || file.endsWith(name)) continue; // the file itself
    counts[file] = (counts[file] ?? 0) + 1;
  }
  yield JSON.stringify(counts);
}
