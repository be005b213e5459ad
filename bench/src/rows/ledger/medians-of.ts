import { spreadOf } from '../../figures/spread.js';
import type { Figures } from '../../row.js';

/** The medians of several measurements, for what can be measured only once per start. */
export const mediansOf = async (
  times: number,
  measure: () => Promise<Figures>,
): Promise<Figures> => {
  const all: Figures[] = [];
  for (let n = 0; n < times; n++) all.push(await measure());
  return Object.fromEntries(
    Object.keys(all[0] ?? {}).map((name) => [
      name,
      spreadOf(all.map((figures) => figures[name] ?? NaN)).median,
    ]),
  );
};
