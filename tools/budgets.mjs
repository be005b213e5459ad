import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * How many processes the suites of each workspace may start, by tier. A process costs seconds of CPU,
 * and unlike seconds their number is the same on every machine.
 */
const budgets = JSON.parse(readFileSync(join(import.meta.dirname, 'process-budgets.json'), 'utf8'));

/** Prints how many processes each workspace has started, and returns what is over budget. */
export const overBudget = (tier, started) => {
  const counted = [...started].filter(([, count]) => count > 0);
  if (counted.length > 0)
    console.log(
      `Processes started: ${counted.map(([workspace, count]) => `${workspace} ${count}`).join(', ')}`,
    );
  return counted
    .map(([workspace, count]) => [workspace, count, budgets[tier]?.[workspace] ?? 0])
    .filter(([, count, budget]) => count > budget)
    .map(
      ([workspace, count, budget]) =>
        `${workspace} started ${count} processes; its budget is ${budget}. Share or save processes, or raise tools/process-budgets.json and give the reason in the commit.`,
    );
};
