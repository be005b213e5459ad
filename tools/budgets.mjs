import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * How many processes the suites of each workspace may start and how many events they may append, by
 * tier. Both cost CPU, and unlike seconds their numbers are the same on every machine.
 */
const budgets = JSON.parse(readFileSync(join(import.meta.dirname, 'budgets.json'), 'utf8'));

const kinds = [
  { of: 'processes', done: 'started' },
  { of: 'events', done: 'appended' },
];

/** Prints what the suites of each workspace have started and appended; returns what is over budget. */
export const overBudget = (tier, counts) =>
  kinds.flatMap(({ of, done }) => {
    const counted = counts.filter((each) => each[of] > 0);
    const list = counted.map((each) => `${each.workspace} ${each[of]}`).join(', ');
    console.log(`The suites ${done} these ${of}: ${list || 'none'}`);
    return counted.flatMap(({ workspace, [of]: count }) => {
      const budget = budgets[tier]?.[workspace]?.[of] ?? 0;
      return count > budget
        ? `${workspace} ${done} ${count} ${of}; its budget is ${budget}. Share or save ${of}, or raise tools/budgets.json and give the reason in the commit.`
        : [];
    });
  });
