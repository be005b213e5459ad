import fc from 'fast-check';
import { derivedId, type EndpointId, type EventPattern, type Position } from '@refledger/contracts';
import {
  AccountHistory,
  type Subscriptions,
  type SubscriptionChange,
  type Wants,
} from './account-history.js';

const positionOf = (position: number): Position => String(position) as Position;
const shown = (wants: Subscriptions) =>
  [...wants]
    .map(([endpoint, { events, planned }]) => `${endpoint} ${planned} ${events.join()}`)
    .sort();

const endpoint = fc.constantFrom<EndpointId>(
  ...['a', 'b', 'c'].map((name) => derivedId('endpoint', name)),
);
const events = fc.subarray<EventPattern>(['affiliate.created', 'conversion.created']);
const changed = fc.option(
  fc.record<Wants, never>(
    { events, payload: fc.constant('full'), planned: fc.constantFrom('send', 'hold', 'not') },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const changes = fc.array(fc.record({ endpoint, changed, begins: fc.boolean() }), {
  maxLength: 30,
});

/** The expected result, computed from all changes since the first. */
const wantsAt = (history: readonly SubscriptionChange[], position: number): Subscriptions => {
  const now = new Map<EndpointId, Wants>();
  for (const change of history) {
    if (Number(change.position) > position) break;
    const none: Wants = { events: [], payload: 'full', planned: 'not' };
    const before = now.get(change.endpoint);
    if (change.changed === undefined) now.delete(change.endpoint);
    else if (change.begins || before !== undefined)
      now.set(change.endpoint, { ...(before ?? none), ...change.changed });
  }
  return now;
};

it('returns the subscriptions at any remembered position, in any order of calls', () => {
  const asked = fc.array(fc.record({ position: fc.nat({ max: 40 }), forget: fc.boolean() }), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(changes, asked, (happened, questions) => {
      const history = happened.map((change, n): SubscriptionChange => ({
        ...change,
        position: positionOf(n + 1),
      }));
      const account = new AccountHistory();
      for (const change of history) account.add(change);
      let forgotten = 0;
      for (const { position, forget } of questions) {
        if (forget) {
          account.forgetOldest();
          forgotten = Math.min(forgotten + 1, history.length);
        }
        if (position >= forgotten)
          expect(shown(account.subscriptionsAt(positionOf(position)))).toEqual(
            shown(wantsAt(history, position)),
          );
      }
    }),
  );
});

it('is empty once there is no subscription and no remembered change', () => {
  const account = new AccountHistory();
  const of = { endpoint: derivedId('endpoint', 'a'), begins: true };
  account.add({ ...of, position: positionOf(1), changed: { planned: 'send' } });
  account.add({ ...of, position: positionOf(2), changed: undefined });
  const seen = [account.isEmpty];
  for (let i = 0; i < 2; i++) {
    account.forgetOldest();
    seen.push(account.isEmpty);
  }
  expect(seen).toEqual([false, false, true]);
});
