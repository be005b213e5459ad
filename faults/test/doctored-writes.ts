import { present } from '@refledger/testing/present';
import { requestIdOf } from '../src/ledger.js';
import { steady, type DoctoredFacts, type Doctoring } from './doctored.js';

export const doctoredWrites: readonly Doctoring[] = [
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
      const events = present(facts.history.ofRequest.get(requestIdOf(acknowledgedCreate(facts).n)));
      events.push({ ...present(events[0]) });
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
      facts.history.versions.set('conv_doctored', present(twin));
    },
  ],
  [
    'a refused write that was stored anyway',
    'stored once',
    (facts) => {
      const entry = present(facts.entries.find(({ n }) => n === acknowledgedCreate(facts).n));
      entry.outcome = { report: 'refused', status: 409, code: 'conversion_exists' };
    },
  ],
  [
    'a write that no one sent',
    'stored once',
    (facts) => {
      facts.history.ofRequest.set(
        'stranger',
        present(facts.history.ofRequest.get(requestIdOf(acknowledgedCreate(facts).n))),
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
        intent: { ...present(facts.entries.find((entry) => entry.n === n)).intent, retryOf: n },
        outcome: { ...outcome },
      });
    },
  ],
  [
    'a record that differs from what was acknowledged',
    'stored once',
    (facts) => {
      present(acknowledgedCreate(facts).outcome.record).created_at = '2020-01-01T00:00:00.000Z';
    },
  ],
  [
    'a request without an outcome',
    'sent =',
    (facts) => {
      facts.entries.push({ n: 999_999, intent: present(facts.entries[0]).intent, seen: 0n });
    },
  ],
  [
    'an error inside the service',
    'sent =',
    (facts) => {
      facts.entries.push({
        n: 999_999,
        seen: 0n,
        intent: present(facts.entries[0]).intent,
        outcome: { report: 'refused', status: 500, code: 'internal' },
      });
    },
  ],
  [
    'a row that a list has lost',
    'lists',
    (facts) => void present(facts.responses.conversions[1]).pop(),
  ],
  [
    'a row that a list shows twice',
    'lists',
    (facts) =>
      void present(facts.responses.affiliates[0]).push(present(facts.responses.affiliates[0]?.[0])),
  ],
  [
    'a row that is behind',
    'lists',
    (facts) => void (present(facts.responses.conversions[0]?.[0]).revision += 1),
  ],
  [
    'a sum that is a cent off',
    'statistics',
    (facts) => {
      const stats = present(
        [...facts.responses.stats.values()].find(({ currencies }) => currencies.length > 0),
      );
      present(stats.currencies[0]).sale_amount.total += 1;
    },
  ],
  [
    'a commission that does not follow from the requests',
    'commissions',
    (facts) => {
      const { intent } = present(facts.entries.find(({ n }) => n === acknowledgedCreate(facts).n));
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
    (facts) => void (present(facts.responses.conversions[0]?.[0]).commission_amount += 1),
  ],
  [
    'a cent too much owed in statistics',
    'commissions',
    (facts) => {
      const stats = present(
        [...facts.responses.stats.values()].find(({ currencies }) => currencies.length > 0),
      );
      present(stats.currencies[0]).commission_amount.unpaid += 1;
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
      receipt.times =
        present(facts.deliveries.get(present([...receipt.deliveries][0]))).attempts + 1;
    },
  ],
  [
    'a delivery that the store has lost',
    'every attempt',
    (facts) => void facts.deliveries.delete(present([...steady(facts)[1].deliveries][0])),
  ],
  [
    'a delivery that was left in flight',
    'every attempt',
    (facts) =>
      void (present(facts.deliveries.get(present([...steady(facts)[1].deliveries][0]))).status =
        'sending'),
  ],
];

const acknowledgedCreate = (facts: DoctoredFacts) => {
  for (const { n, outcome } of facts.entries) {
    if (
      outcome?.report === 'acknowledged' &&
      outcome.status === 201 &&
      outcome.record?.object === 'conversion'
    )
      return { n, id: outcome.record.id, outcome };
  }
  throw new Error('the recorded run has nothing like it to doctor');
};
