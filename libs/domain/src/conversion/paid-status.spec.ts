import { derivedId, type ConversionEvent, type UpdateConversion } from '@refledger/contracts';
import fc from 'fast-check';
import { recorded } from '../../test/balances.js';
import { about, conversion_id, created, fields, update } from '../../test/conversions.js';
import { given, givenUpTo, refusal, when } from '../../test/scenario.js';
import { balanceDeltaOf } from '../balance/owed.js';
import { eventChanges } from '../event-changes.js';
import { maxRevisions } from '../revision-limit.js';
import { conversionRecord } from './conversion.aggregate.js';
import { conversionDecider, type ConversionCommand } from './conversion.decider.js';

const payoutId = (number: number) => derivedId('payout', String(number));
const pay = (payout_number: number): ConversionCommand => ({
  type: 'pay',
  conversion_id,
  part: { payout_id: payoutId(payout_number), payout_number, amount: 990 },
});
const unpay = (number: number): ConversionCommand => ({
  type: 'unpay',
  conversion_id,
  payout_id: payoutId(number),
});

const none = given(conversionDecider);
const approved = { ...fields, status: 'approved' } as const;
const approval: ConversionEvent = {
  type: 'conversion.approved',
  data: { ...about, before: fields, after: approved, reason: null },
};
const beforePayouts = [created, approval];

/** The events that these commands add to an approved conversion. */
const eventsOf = (...commands: readonly ConversionCommand[]): readonly ConversionEvent[] => {
  const history: ConversionEvent[] = [...beforePayouts];
  for (const command of commands)
    history.push(...when(conversionDecider, given(conversionDecider, ...history), command));
  return history.slice(beforePayouts.length);
};
const typesOf = (...commands: readonly ConversionCommand[]) =>
  eventsOf(...commands).map(({ type }) => type.slice('conversion.'.length));
const shownAfter = (...commands: readonly ConversionCommand[]) =>
  conversionRecord(given(conversionDecider, ...beforePayouts, ...eventsOf(...commands)))?.payout_id;

describe('a conversion', () => {
  it('shows the completed payout that paid it', () => {
    expect(eventsOf(pay(1))).toEqual([
      {
        type: 'conversion.paid',
        data: {
          ...about,
          payout_id: payoutId(1),
          payout_number: 1,
          amount: 990,
          before: approved,
          after: { ...approved, payout_id: payoutId(1) },
        },
      },
    ]);
    expect(shownAfter(pay(1))).toBe(payoutId(1));
  });

  it('no longer shows it when the money comes back, and shows the next one', () => {
    expect(eventsOf(pay(1), unpay(1)).at(-1)).toMatchObject({
      type: 'conversion.unpaid',
      data: { payout_id: payoutId(1), payout_number: 1, amount: 990, after: approved },
    });
    expect(shownAfter(pay(1), unpay(1))).toBeNull();
    expect(shownAfter(pay(1), unpay(1), pay(2))).toBe(payoutId(2));
  });

  it('shows the later one of two payouts, whichever is completed first', () => {
    expect(typesOf(pay(2), pay(1))).toEqual(['paid']);
    expect(shownAfter(pay(2), pay(1))).toBe(payoutId(2));
    expect(shownAfter(pay(1), pay(2))).toBe(payoutId(2));
    expect(shownAfter(pay(1), pay(2), unpay(1))).toBe(payoutId(2));
  });

  it('is paid once by each payout, even after the money came back', () => {
    expect(typesOf(pay(1), pay(1))).toEqual(['paid']);
    expect(typesOf(pay(1), unpay(1), pay(1), unpay(1))).toEqual(['paid', 'unpaid']);
  });

  it.each<UpdateConversion>([
    { metadata: {} },
    { commission_amount: 1 },
    { status: 'rejected' },
    { status: 'refunded' },
  ])('still shows it after a change such as %j', (patch) => {
    expect(shownAfter(pay(1), update(patch))).toBe(payoutId(1));
  });

  it('that was never recorded refuses it', () => {
    for (const command of [pay(1), unpay(1)])
      expect(refusal(() => when(conversionDecider, none, command)).code).toBe('not_found');
  });
});

describe('what follows a payout', () => {
  it('does not count toward the revision limit', () => {
    const history = [...beforePayouts, ...eventsOf(pay(1), unpay(1), pay(2))];
    const at = (revisions: number) => givenUpTo(conversionDecider, revisions - 1, history);
    const patch = update({ metadata: {} });
    expect(when(conversionDecider, at(maxRevisions + 2), patch)).toHaveLength(1);
    const full = at(maxRevisions + 3);
    expect(refusal(() => when(conversionDecider, full, patch)).code).toBe('too_many_revisions');
    expect(when(conversionDecider, full, unpay(2))).toHaveLength(1);
  });

  it('changes nothing that is owed', () => {
    const changes = eventsOf(pay(1), unpay(1)).map((event) => balanceDeltaOf(recorded(event)));
    expect(changes).toEqual([undefined, undefined]);
  });

  it('is a change of the payout in the history', () => {
    const changes = eventsOf(pay(1), unpay(1)).map(
      (event) => eventChanges('conversion', recorded(event)).changes,
    );
    expect(changes).toEqual([
      [{ path: '/payout_id', before: null, after: payoutId(1) }],
      [{ path: '/payout_id', before: payoutId(1), after: null }],
    ]);
  });
});

/** The events after payouts that are completed in any order, and of which some fail later. */
const trails: fc.Arbitrary<readonly ConversionCommand[]> = fc
  .uniqueArray(fc.record({ number: fc.integer({ min: 1, max: 9 }), failsAfter: fc.nat(4) }), {
    selector: ({ number }) => number,
    maxLength: 6,
  })
  .map((payouts) => {
    const trail = payouts.map(({ number }) => pay(number));
    for (const { number, failsAfter } of payouts.filter((payout) => payout.failsAfter > 0))
      trail.splice(indexOfPay(trail, number) + failsAfter, 0, unpay(number));
    return trail;
  });

const indexOfPay = (trail: readonly ConversionCommand[], number: number): number =>
  trail.findIndex((step) => step.type === 'pay' && step.part.payout_number === number);

it('adds no event when it is repeated from any checkpoint, at any time', () => {
  const restart = fc.record({ after: fc.nat(5), goesBack: fc.nat(12) });
  fc.assert(
    fc.property(trails, fc.array(restart, { maxLength: 6 }), (trail, restarts) => {
      const done: ConversionCommand[] = [];
      let checkpoint = 0;
      for (const { after, goesBack } of restarts) {
        done.push(...trail.slice(checkpoint, checkpoint + after));
        checkpoint = Math.max(0, Math.min(checkpoint + after, trail.length) - goesBack);
      }
      done.push(...trail.slice(checkpoint));

      expect(eventsOf(...done, ...trail)).toEqual(eventsOf(...trail));
    }),
  );
});
