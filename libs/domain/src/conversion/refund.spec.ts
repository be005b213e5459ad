import type { ConversionEvent, ConversionStatus, UpdateConversion } from '@refledger/contracts';
import { record, update } from '../../test/conversions.js';
import { given, refusal, textMatching, when } from '../../test/scenario.js';
import { conversionRecord } from './conversion.aggregate.js';
import { conversionDecider } from './conversion.decider.js';

const none = given(conversionDecider);
const steps: Record<
  ConversionStatus | 'partly refunded' | 'partly refunded, rejected',
  UpdateConversion[]
> = {
  pending: [],
  approved: [{ status: 'approved' }],
  'partly refunded': [{ status: 'approved', refunded_amount: 40 }],
  rejected: [{ status: 'rejected' }],
  'partly refunded, rejected': [
    { status: 'approved', refunded_amount: 40 },
    { status: 'rejected' },
  ],
  refunded: [{ status: 'approved' }, { status: 'refunded' }],
};
type From = keyof typeof steps;

/** The events that result from a patch to a sale of 100. */
const patched = (from: From, patch: UpdateConversion) => {
  const events: ConversionEvent[] = [];
  const decide = (command: Parameters<typeof conversionDecider.decide>[0]) =>
    when(
      conversionDecider,
      events.length > 0 ? given(conversionDecider, ...events) : none,
      command,
    );
  events.push(...decide(record({ sale_amount: 100 })));
  for (const step of steps[from]) events.push(...decide(update(step)));
  const made = decide(update(patch));
  events.push(...made);
  return { made, record: conversionRecord(given(conversionDecider, ...events))! };
};

describe('a refund of a sale of 100', () => {
  it.each<[From, UpdateConversion, ConversionStatus, number]>([
    ['approved', { refunded_amount: 1 }, 'approved', 1],
    ['approved', { refunded_amount: 99, status: 'approved' }, 'approved', 99],
    ['approved', { refunded_amount: 100 }, 'refunded', 100],
    ['approved', { refunded_amount: 100, status: 'refunded' }, 'refunded', 100],
    ['approved', { status: 'refunded' }, 'refunded', 100],
    ['partly refunded', { refunded_amount: 41 }, 'approved', 41],
    ['partly refunded', { refunded_amount: 0 }, 'approved', 0],
    ['partly refunded', { refunded_amount: 100 }, 'refunded', 100],
    ['partly refunded', { status: 'rejected' }, 'rejected', 40],
    ['partly refunded', { status: 'rejected', refunded_amount: 40 }, 'rejected', 40],
    ['pending', { refunded_amount: 1, status: 'approved' }, 'approved', 1],
    ['pending', { refunded_amount: 7, status: 'approved', sale_amount: 8 }, 'approved', 7],
    ['rejected', { refunded_amount: 1, status: 'approved' }, 'approved', 1],
    ['partly refunded, rejected', { status: 'approved' }, 'approved', 40],
    ['partly refunded, rejected', { status: 'approved', refunded_amount: 0 }, 'approved', 0],
    ['refunded', { status: 'approved' }, 'approved', 0],
    ['refunded', { status: 'approved', refunded_amount: 0 }, 'approved', 0],
    ['refunded', { status: 'approved', refunded_amount: 99 }, 'approved', 99],
  ])('that is %s: %j makes it %s, with %i refunded', (from, patch, status, refunded_amount) => {
    const { made, record } = patched(from, patch);
    expect(made).toHaveLength(1);
    expect(record).toMatchObject({ status, refunded_amount });
  });

  it.each<[From, UpdateConversion]>([
    ['pending', { refunded_amount: 0 }],
    ['approved', { refunded_amount: -0 }],
    ['partly refunded', { refunded_amount: 40 }],
    ['partly refunded, rejected', { refunded_amount: 40 }],
    ['refunded', { refunded_amount: 100 }],
    ['refunded', { refunded_amount: 100, status: 'refunded' }],
  ])('that is %s: %j changes nothing', (from, patch) => {
    expect(patched(from, patch).made).toEqual([]);
  });

  it.each<[From, UpdateConversion]>([
    ['pending', { refunded_amount: 1 }],
    ['pending', { refunded_amount: 100 }],
    ['pending', { refunded_amount: 1, status: 'rejected' }],
    ['rejected', { refunded_amount: 1 }],
    ['rejected', { refunded_amount: 100 }],
    ['partly refunded', { refunded_amount: 41, status: 'rejected' }],
    ['partly refunded, rejected', { refunded_amount: 0 }],
    ['refunded', { refunded_amount: 99 }],
    ['refunded', { refunded_amount: 0 }],
  ])('that is %s: %j is an invalid transition', (from, patch) => {
    expect(refusal(() => patched(from, patch)).code).toBe('invalid_transition');
  });

  it.each<[From, UpdateConversion, RegExp]>([
    ['pending', { refunded_amount: 1 }, / is pending\. refunded_amount can be changed only while/],
    [
      'approved',
      { refunded_amount: 1, status: 'rejected' },
      / would become rejected\. refunded_am/,
    ],
  ])('that is %s: %j is refused with the reason', (from, patch, detail) => {
    expect(refusal(() => patched(from, patch)).detail).toMatch(detail);
  });

  it.each<[UpdateConversion, string, RegExp]>([
    [{ refunded_amount: 101 }, 'too_large', /but sale_amount is only 100\. Send at most 100/],
    [{ refunded_amount: 101, status: 'refunded' }, 'too_large', /at most/],
    [{ refunded_amount: 99, status: 'refunded' }, 'contradicts_status', /99 of 100 .*refunded/],
    [{ refunded_amount: 0, status: 'refunded' }, 'contradicts_status', /0 of 100 .*refunded/],
    [{ refunded_amount: 100, status: 'approved' }, 'contradicts_status', /100 of 100 .*approved/],
    [{ refunded_amount: 100, status: 'rejected' }, 'contradicts_status', /100 of 100 .*rejected/],
  ])('%j is not valid in any status', (patch, code, detail) => {
    for (const from of Object.keys(steps) as From[])
      expect(refusal(() => patched(from, patch))).toMatchObject({
        code: 'validation_failed',
        detail: textMatching(detail),
        extras: { errors: [{ path: '/refunded_amount', code }] },
      });
  });

  it('is compared with the amount after the same patch', () => {
    const patch = { status: 'approved', refunded_amount: 150 } as const;
    expect(patched('pending', { ...patch, sale_amount: 200 }).record).toMatchObject({
      sale_amount: 200,
      refunded_amount: 150,
    });
    expect(refusal(() => patched('pending', patch)).code).toBe('validation_failed');
  });
});
