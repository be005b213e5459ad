import { join } from 'node:path';
import { comparisons } from '../src/compare/compare.js';
import { factsOf, type Facts } from '../src/facts.js';
import { readRun } from '../src/recorded-run.js';
import { differencesOf } from '../src/table.js';
import type { DoctoredFacts, Doctoring } from './doctored.js';
import { doctoredMoney } from './doctored-money.js';
import { doctoredPayouts } from './doctored-payouts.js';
import { doctoredReplays } from './doctored-replays.js';
import { doctoredWrites } from './doctored-writes.js';

/** The figures that must not be 0, because otherwise a comparison has nothing to compare. */
const wanted = [
  'acknowledged',
  'refused',
  'unknown',
  'records',
  'counted',
  'USD owed',
  'flat',
  'explicit',
  'capped',
  'not first',
  'after the months',
  'within the months',
  'refunded in part',
  'under own terms',
  'approved at once',
  'delivered',
  'duplicates',
  'of unknown outcome',
  'replays',
  'replayed',
  'entries',
  'corrections',
  'reversals',
  'adjusted',
  'voided',
  'deductions',
  'held',
  'owed to the account',
  'paid out',
  'payouts failed',
  'payouts canceled',
  'taken again',
  'netted',
  'of runs',
  'skipped',
  'marked',
  'paid conversions',
  'unpaid again',
  'links',
  'closed',
  'verified entries',
  'verified deliveries',
  'checkpoints lost',
  'compared in between',
];

/**
 * A recorded run of kills under load shows that each comparison can fail. When the facts or the
 * load change, record one again: npm run faults -- --rounds 12 --seed 2 --record
 * faults/test/recorded-run.json.gz
 */
describe('the comparison of a recorded run', () => {
  const facts = factsOf(readRun(join(__dirname, 'recorded-run.json.gz')));
  const undoctored = comparisons.map((comparison) => comparison(facts));

  it('has everything to compare', () => {
    const figures = Object.fromEntries(
      undoctored.flatMap((comparison) => Object.entries(comparison.figures)),
    );
    expect(wanted.filter((name) => !(Number(figures[name]) > 0))).toEqual([]);
  });

  it('finds no difference', () => {
    expect(differencesOf(undoctored)).toEqual([]);
  });

  it.each<Doctoring>([...doctoredWrites, ...doctoredReplays, ...doctoredMoney, ...doctoredPayouts])(
    'detects %s',
    (_what, claim, doctor) => {
      const comparison =
        comparisons[undoctored.findIndex((undoctored) => undoctored.claim.includes(claim))];
      const copy = structuredClone(facts) as unknown as DoctoredFacts;
      doctor(copy);
      expect(comparison?.(copy as unknown as Facts).differences.length).toBeGreaterThan(0);
    },
  );
});
