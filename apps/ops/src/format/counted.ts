/** A count with its noun: `1 document`, `2 documents`, `2 entries`. */
export const counted = (count: number, thing: string, things = `${thing}s`): string =>
  `${count} ${count === 1 ? thing : things}`;
