import { present } from '@refledger/testing/present';
import type { DoctoredFacts, Doctoring } from './doctored.js';

/** The facts that the claims about payouts depend on. */
export type DoctoredPayouts = Pick<DoctoredFacts, 'entries' | 'history' | 'money'>;

const payouts = (facts: DoctoredPayouts) => facts.money.payouts;
const completed = (facts: DoctoredPayouts) =>
  present(payouts(facts).find(({ status }) => status === 'completed'));
const lines = (facts: DoctoredPayouts, id: string) => present(facts.money.lines.get(id));
interface Reserved {
  readonly balance_id: string;
  readonly payout_id: string;
  buckets: readonly object[];
}

const reservations = (facts: DoctoredPayouts): readonly Reserved[] =>
  facts.history.postings
    .filter(({ type }) => type === 'balance.reserved')
    .map(({ data }) => data as Reserved);
/** Two payouts of one balance that did not fail. */
export const twins = (facts: DoctoredPayouts): readonly [Reserved, Reserved] => {
  const living = reservations(facts).filter(({ payout_id }) =>
    payouts(facts).some(
      ({ id, status }) => id === payout_id && status !== 'failed' && status !== 'canceled',
    ),
  );
  const other = (one: Reserved) =>
    living.find(
      ({ balance_id, payout_id }) => balance_id === one.balance_id && payout_id !== one.payout_id,
    );
  const one = present(living.find((each) => other(each) !== undefined));
  return [one, present(other(one))];
};
const run = (facts: DoctoredPayouts, isWanted: (run: Run) => boolean = () => true): Run => {
  for (const versions of facts.history.versions.values()) {
    const record = versions.at(-1)?.record;
    if (record?.object === 'payout_run' && isWanted(record)) return record;
  }
  throw new Error('the recorded run has nothing like it to doctor');
};
interface Run {
  status: string;
  readonly payouts: { created: number };
  readonly totals: { amount: number }[];
  readonly marks: { applied_at: string | null; changed: number }[];
}
/** The versions of a conversion that a payout paid, and the index of the last one that says so. */
const paidConversion = (facts: DoctoredPayouts) => {
  for (const versions of facts.history.versions.values()) {
    const at = versions.findLastIndex(({ event }) => event.type === 'conversion.paid');
    if (at !== -1) return { versions, at };
  }
  throw new Error('the recorded run has nothing like it to doctor');
};

export const doctoredPayouts: readonly Doctoring[] = [
  [
    'a payout that is made twice',
    'sent = posted = paid',
    (facts) => void payouts(facts).push({ ...completed(facts) }),
  ],
  [
    'a payout that is lost',
    'sent = posted = paid',
    (facts) => void payouts(facts).splice(payouts(facts).indexOf(completed(facts)), 1),
  ],
  [
    'a payout that is a cent off',
    'sent = posted = paid',
    (facts) => void (completed(facts).amount += 1),
  ],
  [
    'money of a failed payout that is not open again',
    'sent = posted = paid',
    (facts) => void (completed(facts).status = 'failed'),
  ],
  [
    'two payouts for one key',
    'sent = posted = paid',
    (facts) => {
      const made = present(
        facts.entries.find(
          ({ intent, outcome }) =>
            intent.what === 'payout.create' && outcome?.report === 'acknowledged',
        ),
      );
      const twin = structuredClone(made);
      if (twin.outcome?.report === 'acknowledged' && twin.outcome.record !== null)
        twin.outcome.record = { ...twin.outcome.record, id: 'pay_other' };
      facts.entries.push(twin);
    },
  ],
  [
    'an entry in two payouts',
    'sums of their lines',
    (facts) => {
      const [one, other] = twins(facts);
      lines(facts, one.payout_id).push(...lines(facts, other.payout_id));
    },
  ],
  [
    'a payout without one of its lines',
    'sums of their lines',
    (facts) => void lines(facts, completed(facts).id).pop(),
  ],
  [
    'a payout whose lines were not read',
    'sums of their lines',
    (facts) => void facts.money.lines.delete(completed(facts).id),
  ],
  [
    'a payout that was made before its lines were due',
    'sums of their lines',
    (facts) => void (completed(facts).until = '2020-01-01'),
  ],
  [
    'an entry that names another payout',
    'sums of their lines',
    (facts) => void (present(facts.money.entries[0]?.[0]).payout_id = 'pay_other'),
  ],
  [
    'a payout that omits what was due',
    'net what was acknowledged before',
    (facts) => {
      // a reservation that never became a payout proves nothing
      const taken = present(
        reservations(facts).find(({ payout_id }) =>
          payouts(facts).some(({ id }) => id === payout_id),
        ),
      );
      taken.buckets = taken.buckets.slice(1);
    },
  ],
  [
    'payouts without what was acknowledged before they were requested',
    'net what was acknowledged before',
    (facts) => {
      for (const entry of facts.entries)
        if (entry.intent.what.startsWith('payout')) entry.seen = 10n ** 12n;
    },
  ],
  [
    'a payout below its minimum',
    'net what was acknowledged before',
    (facts) => {
      const changes: Readonly<Record<string, object>> = {
        'program.create': { minimum_payout: { USD: 10 ** 15, EUR: 10 ** 15 } },
        'payout.create': { ignore_minimum: false },
        'payout_run.create': { ignore_minimum: false },
      };
      for (const { intent } of facts.entries)
        if (intent.what in changes) intent.body = { ...intent.body, ...changes[intent.what] };
    },
  ],
  ['a run that is not finished', 'runs count', (facts) => void (run(facts).status = 'running')],
  [
    'a run that counts a payout too many',
    'runs count',
    (facts) => void (run(facts).payouts.created += 1),
  ],
  [
    'a run whose totals are a cent off',
    'runs count',
    (facts) => {
      const { totals } = run(facts, (one) => one.totals.length > 0);
      present(totals[0]).amount += 1;
    },
  ],
  [
    'a mark that was not applied',
    'runs count',
    (facts) => {
      const { marks } = run(facts, (one) => one.marks.length > 0);
      present(marks[0]).applied_at = null;
    },
  ],
  [
    'a mark that counts a payout too many',
    'runs count',
    (facts) => {
      const { marks } = run(facts, (one) => one.marks.length > 0);
      present(marks[0]).changed += 1;
    },
  ],
  [
    'runs that skipped balances',
    'runs count',
    (facts) =>
      void (facts.history.postings = facts.history.postings.filter(
        ({ type }) => type !== 'balance.reserved',
      )),
  ],
  [
    'a payout that its conversion does not show',
    'what paid them',
    (facts) => {
      const { versions, at } = paidConversion(facts);
      versions.splice(at, 1);
    },
  ],
  [
    'a payout that its conversion shows twice',
    'what paid them',
    (facts) => {
      const { versions, at } = paidConversion(facts);
      versions.splice(at, 0, present(versions[at]));
    },
  ],
];
