import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, comparePayouts } from '../src/compare/compare.js';
import type { Comparison } from '../src/compare/comparison.js';
import type { Facts } from '../src/facts.js';
import { drawKill } from '../src/fault-injection.js';
import { requestIdOf } from '../src/ledger.js';
import { run, type RunResult } from '../src/run.js';
import { differencesOf } from '../src/table.js';
import { doctored, present, steady, type Doctored } from './doctored.js';
import { doctoredMoney } from './doctored-money.js';
import { doctoredReplays } from './doctored-replays.js';
import { doctoredPayouts, type DoctoredPayouts } from './doctored-payouts.js';

/** In the tenth, posting loses its checkpoint. For a longer run: npm run faults -- --rounds 100 */
const rounds = 10;
const seed = Number(process.env['FAULTS_SEED'] ?? randomInt(1, 1_000_000));

/** What must happen for the comparisons to prove anything: figures that must not be 0. */
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

/** The figures that are 0 in all of these runs. */
const neverIn = (results: readonly RunResult[]): readonly string[] => {
  const seen = new Set(
    results
      .flatMap(({ comparisons }) => comparisons)
      .flatMap(({ figures }) => Object.entries(figures))
      .flatMap(([name, figure]) => (figure > 0 ? [name] : [])),
  );
  return wanted.filter((name) => !seen.has(name));
};

const failedClaims = (comparisons: readonly Comparison[]): string =>
  comparisons
    .flatMap(({ claim, differences }) => (differences.length > 0 ? [claim] : []))
    .join('; ');

const runInto = async (folder: string, seed: number): Promise<RunResult> => {
  await mkdir(folder);
  return run({ rounds, seed, folder, drawFaultInjection: drawKill });
};

const timeoutMs = 1_500_000;
const maxRuns = 3;

describe(`${rounds} rounds of kills under load`, () => {
  let folder: string;
  const results: RunResult[] = [];
  let runs = 0;
  const more = async (): Promise<boolean> => {
    if (runs === maxRuns) return false;
    const n = runs++;
    results.push(await runInto(join(folder, String(n)), seed + n));
    return true;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'refledger-faults-'));
    await more();
    // on a slow machine, one run may be too short for everything to happen
    while (neverIn(results).length > 0 && (await more()));
  }, timeoutMs);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  // otherwise the comparisons prove nothing
  it('make everything that is compared happen', () => {
    expect(neverIn(results)).toEqual([]);
  });

  describe('the comparison detects', () => {
    const acknowledgedCreate = (facts: Doctored) => {
      for (const { n, outcome } of facts.entries) {
        if (
          outcome?.report === 'acknowledged' &&
          outcome.status === 201 &&
          outcome.record?.object === 'conversion'
        )
          return { n, id: outcome.record.id, outcome };
      }
      return present<never>(undefined);
    };

    it.each<[string, string, (facts: Doctored) => void]>([
      [
        'a lost write',
        'stored once',
        (facts) => {
          const { n, id } = acknowledgedCreate(facts);
          facts.history.ofRequest.delete(requestIdOf(n));
          facts.history.versions.delete(id);
        },
      ],
      [
        'a write that is stored twice',
        'stored once',
        (facts) => {
          const events = facts.history.ofRequest.get(requestIdOf(acknowledgedCreate(facts).n))!;
          events.push({ ...events[0]! });
        },
      ],
      [
        'two records with one transaction id',
        'stored once',
        (facts) => {
          const twin = [...facts.history.versions.values()].find(
            ([version]) =>
              version?.record.object === 'conversion' &&
              version.record.external_transaction_id !== null,
          );
          facts.history.versions.set('conv_doctored', twin!);
        },
      ],
      [
        'a refused write that was stored anyway',
        'stored once',
        (facts) => {
          const entry = facts.entries.find(({ n }) => n === acknowledgedCreate(facts).n)!;
          entry.outcome = { report: 'refused', status: 409, code: 'conversion_exists' };
        },
      ],
      [
        'a write that nobody sent',
        'stored once',
        (facts) => {
          facts.history.ofRequest.set(
            'stranger',
            facts.history.ofRequest.get(requestIdOf(acknowledgedCreate(facts).n))!,
          );
        },
      ],
      [
        'a repetition that did not find what was stored',
        'stored once',
        (facts) => {
          const { n, outcome } = acknowledgedCreate(facts);
          facts.entries.push({
            n: 999_999,
            seen: 0n,
            intent: { ...facts.entries.find((entry) => entry.n === n)!.intent, retryOf: n },
            outcome: { ...outcome },
          });
        },
      ],
      [
        'a record that differs from what was acknowledged',
        'stored once',
        (facts) => {
          acknowledgedCreate(facts).outcome.record!.created_at = '2020-01-01T00:00:00.000Z';
        },
      ],
      [
        'a request without an outcome',
        'sent =',
        (facts) => {
          facts.entries.push({ n: 999_999, intent: facts.entries[0]!.intent, seen: 0n });
        },
      ],
      [
        'an error inside the service',
        'sent =',
        (facts) => {
          facts.entries.push({
            n: 999_999,
            seen: 0n,
            intent: facts.entries[0]!.intent,
            outcome: { report: 'refused', status: 500, code: 'internal' },
          });
        },
      ],
      [
        'a row that a list has lost',
        'lists',
        (facts) => void facts.responses.conversions[1]!.pop(),
      ],
      [
        'a row that a list shows twice',
        'lists',
        (facts) => void facts.responses.affiliates[0]!.push(facts.responses.affiliates[0]![0]!),
      ],
      [
        'a row that is behind',
        'lists',
        (facts) => void (facts.responses.conversions[0]![0]!.revision += 1),
      ],
      [
        'a sum that is a cent off',
        'statistics',
        (facts) => {
          const stats = [...facts.responses.stats.values()].find(
            ({ currencies }) => currencies.length > 0,
          )!;
          stats.currencies[0]!.sale_amount.total += 1;
        },
      ],
      [
        'a commission that does not follow from the requests',
        'commissions',
        (facts) => {
          const { intent } = facts.entries.find(({ n }) => n === acknowledgedCreate(facts).n)!;
          intent.body = { ...intent.body, commission_amount: 123_456_789 };
        },
      ],
      [
        'terms other than those that were sent',
        'commissions',
        (facts) => {
          for (const { intent } of facts.entries.filter(
            ({ intent: { what } }) => what === 'program.create',
          ))
            intent.body = { ...intent.body, terms: { type: 'percentage', rate_bps: 1_234 } };
        },
      ],
      [
        'customers other than those that were sent',
        'commissions',
        (facts) => {
          for (const { intent } of facts.entries.filter(
            ({ intent: { what } }) => what === 'conversion.create',
          ))
            intent.body = { ...intent.body, customer_id: undefined };
        },
      ],
      [
        'a commission that is listed a cent off',
        'commissions',
        (facts) => void (facts.responses.conversions[0]![0]!.commission_amount += 1),
      ],
      [
        'a cent too much owed in statistics',
        'commissions',
        (facts) => {
          const stats = [...facts.responses.stats.values()].find(
            ({ currencies }) => currencies.length > 0,
          )!;
          stats.currencies[0]!.commission_amount.unpaid += 1;
        },
      ],
      [
        'a commission that was never delivered',
        'commissions',
        (facts) => {
          for (const [key] of facts.receipts)
            if (key.startsWith('/steady ')) facts.receipts.delete(key);
        },
      ],
      [
        'a delivery that never arrived',
        'reached its endpoints',
        (facts) => void facts.receipts.delete(steady(facts)[0]),
      ],
      [
        'a duplicate with different bytes',
        'reached its endpoints',
        (facts) => void steady(facts)[1].bodies.add('other'),
      ],
      [
        'a body that is not the event',
        'reached its endpoints',
        (facts) => void (steady(facts)[1].meaning = 'other'),
      ],
      [
        'a signature that is not valid',
        'reached its endpoints',
        (facts) => void steady(facts)[1].faults.add('webhook-signature'),
      ],
      [
        'an event that was not subscribed to',
        'reached its endpoints',
        (facts) => void facts.receipts.set('/steady evt_other', steady(facts)[1]),
      ],
      [
        'an attempt that the store has forgotten',
        'every attempt',
        (facts) => {
          const [, receipt] = steady(facts);
          receipt.times = facts.deliveries.get([...receipt.deliveries][0]!)!.attempts + 1;
        },
      ],
      [
        'a delivery that the store has lost',
        'every attempt',
        (facts) => void facts.deliveries.delete([...steady(facts)[1].deliveries][0]!),
      ],
      [
        'a delivery that was left in flight',
        'every attempt',
        (facts) =>
          void (facts.deliveries.get([...steady(facts)[1].deliveries][0]!)!.status = 'sending'),
      ],
      ...doctoredReplays,
      ...doctoredMoney,
    ])(
      '%s',
      async (_what, claim, doctor) => {
        const facts = await doctored(
          { results, more },
          (facts) => structuredClone(facts) as unknown as Doctored,
          doctor,
        );
        expect(failedClaims(compare(facts as unknown as Facts))).toContain(claim);
      },
      timeoutMs,
    );

    it.each(doctoredPayouts)(
      '%s',
      async (_what, claim, doctor) => {
        const facts = await doctored(
          { results, more },
          ({ entries, money, history }) =>
            structuredClone({ entries, money, history: { ...history, wanted: [] } }),
          (facts) => doctor(facts as unknown as DoctoredPayouts),
        );
        expect(failedClaims(comparePayouts(facts))).toContain(claim);
      },
      timeoutMs,
    );
  });

  // last, because the cases above may have made more runs
  it('leave everything consistent with the ledger of requests', () => {
    for (const [n, { comparisons }] of results.entries()) {
      const differences = differencesOf(comparisons);
      if (differences.length > 0)
        throw new Error(
          `replay: npm run faults -- --rounds ${rounds} --seed ${seed + n} --keep\n${differences.join('\n')}`,
        );
    }
  });
});
