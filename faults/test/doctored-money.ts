import type { LoggedEvent } from '@refledger/event-log';
import { present } from '@refledger/testing/present';
import { twins } from './doctored-payouts.js';
import type { DoctoredFacts, Doctoring } from './doctored.js';

const entries = (facts: DoctoredFacts) => present(facts.money.entries[0]);
const entry = (facts: DoctoredFacts) => present(entries(facts).at(-1));
const balance = (facts: DoctoredFacts) => present(facts.money.balances[0]);

/** The data of an event of a balance, or of a line of a ledger. */
type Data = Record<string, unknown> & { state: Record<string, unknown> };

const line = (facts: DoctoredFacts): Data =>
  present((facts.money.ledgers.get(balance(facts).id) as unknown as { data: Data }[])[0]).data;
/** The last event of this type of a balance that has several chapters. */
const posting = (facts: DoctoredFacts, type: string) =>
  present(facts.history.postings.findLast((event) => event.type === type));
const removePosting = (facts: DoctoredFacts, type: string): void =>
  void facts.history.postings.splice(facts.history.postings.indexOf(posting(facts, type)), 1);
const stateOf = (facts: DoctoredFacts, type: string) => (posting(facts, type).data as Data).state;
/** A request that created an adjustment which was not voided. */
const sentAdjustment = (facts: DoctoredFacts) => {
  const posted = new Set(
    facts.responses.adjustments[0]?.filter(({ status }) => status === 'posted').map(({ id }) => id),
  );
  return present(
    facts.entries.find(
      ({ intent: { what, retryOf }, outcome }) =>
        what === 'adjustment.create' &&
        retryOf === undefined &&
        outcome?.report === 'acknowledged' &&
        !outcome.replayed &&
        posted.has(outcome.record?.id ?? ''),
    ),
  );
};

export const doctoredMoney: readonly Doctoring[] = [
  [
    'an entry that was posted twice',
    'posted once',
    (facts) => void entries(facts).push({ ...entry(facts) }),
  ],
  ['an entry that was not posted', 'posted once', (facts) => void entries(facts).pop()],
  [
    'an entry that nothing caused',
    'posted once',
    (facts) => void (entry(facts).caused_by = 'evt_'),
  ],
  ['an entry that is a cent off', 'posted once', (facts) => void (entry(facts).amount += 1)],
  ['a gap between two entries', 'posted once', (facts) => void (entry(facts).number += 1)],
  [
    'an entry of another day',
    'posted once',
    (facts) => void (entry(facts).payable_on = '2020-01-01'),
  ],
  [
    'an entry from before its cause',
    'posted once',
    (facts) => void (entry(facts).posted_at = '2020-01-01T00:00:00.000Z'),
  ],
  ['entries in another order', 'posted once', (facts) => void entries(facts).reverse()],
  [
    'a balance that is a cent off',
    'sums of their entries',
    (facts) => void (balance(facts).earned += 1),
  ],
  [
    'money that is nowhere',
    'balances are the sums',
    (facts) => void (balance(facts).in_payout += 1),
  ],
  ['a lost balance', 'sums of their entries', (facts) => void facts.money.balances.pop()],
  [
    'a second balance of an affiliate in one currency',
    'sums of their entries',
    (facts) => void facts.money.balances.push({ ...balance(facts) }),
  ],
  [
    'a list that is behind the balance itself',
    'sums of their entries',
    (facts) => void (present(facts.money.records.get(balance(facts).id)).updated_at = 'later'),
  ],
  [
    'a balance without an adjustment that was sent',
    'worth what was sent',
    (facts) => {
      const { intent } = sentAdjustment(facts);
      intent.body = { ...intent.body, amount: 123_456_789 };
    },
  ],
  ['an entry with another number', 'hash chains', (facts) => void (line(facts)['number'] = 7)],
  [
    'one altered character',
    'hash chains',
    (facts) => void (line(facts)['description'] = 'altered'),
  ],
  ['another head', 'hash chains', (facts) => void (balance(facts).chain = 'other')],
  ['a ledger that was not read', 'hash chains', (facts) => facts.money.ledgers.clear()],
  [
    'a chapter that starts with another state',
    'chapters continue',
    (facts) => void (stateOf(facts, 'balance.opened')['chain'] = 'other'),
  ],
  [
    'a chapter that is closed with another state',
    'chapters continue',
    (facts) => void (stateOf(facts, 'balance.closed')['adjusted'] = '1'),
  ],
  [
    'a chapter that does not take over what is open',
    'chapters continue',
    (facts) => removePosting(facts, 'balance.carried'),
  ],
  [
    'a chapter without an entry',
    'chapters continue',
    (facts) => {
      const { postings } = facts.history;
      const closed = postings.indexOf(posting(facts, 'balance.closed'));
      const isItsEntry = ({ stream, type }: LoggedEvent): boolean =>
        stream === postings[closed]?.stream && type === 'balance.posted';
      postings.splice(postings.slice(0, closed).findLastIndex(isItsEntry), 1);
    },
  ],
  ['a fault that ops finds', 'ops verify', (facts) => void (facts.verified.ledger.code = 1)],
  [
    'entries that ops does not find',
    'ops verify',
    (facts) => void (facts.verified.ledger.printed = '1 balance with 1 entry'),
  ],
  ['a delivery that ops misses', 'ops verify', (facts) => void (facts.verified.webhooks.code = 1)],
  [
    'deliveries that ops does not find',
    'ops verify',
    (facts) => void (facts.verified.webhooks.printed = '1 delivery, planned up to position 1'),
  ],
  [
    'a balance that differed only after a round',
    'after every round',
    (facts) => void (present(facts.rounds[0]).differences = ['it differed']),
  ],
  [
    'two reservations of one entry',
    'balances are the sums',
    (facts) => {
      const [one, other] = twins(facts);
      one.buckets = other.buckets;
    },
  ],
  [
    'a payout that is listed with another amount',
    'lists and records',
    (facts) => void (present(facts.responses.payouts[0]?.[0]).amount += 1),
  ],
];
