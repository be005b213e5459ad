import { derivedId } from '@refledger/contracts';
import type {
  AdjustmentEvent,
  AdjustmentFields,
  ConversionEvent,
  ConversionFields,
  DomainEvent,
} from '@refledger/contracts';
import { account, balanceAbout, recorded } from '../../test/balances.js';
import { about, affiliate_id, created, fields, inProgram } from '../../test/conversions.js';
import { balanceIdOf, entryIdOf, balanceDeltaOf } from './owed.js';

type Status = ConversionFields['status'];
const earning = (status: Status, commission_amount: number): ConversionFields => ({
  ...fields,
  status,
  commission_amount,
});
const changed = (
  type: Exclude<
    ConversionEvent['type'],
    'conversion.created' | 'conversion.paid' | 'conversion.unpaid'
  >,
  before: ConversionFields,
  after: ConversionFields,
): DomainEvent => ({ type, data: { ...about, before, after } });
const createdAs = (after: ConversionFields): DomainEvent => ({
  ...created,
  data: { ...created.data, after },
});

const pending = earning('pending', 4000);
const approved = earning('approved', 4000);

describe('the entry of a conversion', () => {
  // §4 of the contract, row by row
  it.each<[string, DomainEvent, readonly [string, number] | undefined]>([
    ['pending', createdAs(pending), undefined],
    ['approved when created', createdAs(approved), ['commission', 4000]],
    ['approved', changed('conversion.approved', pending, approved), ['commission', 4000]],
    [
      'partly refunded',
      changed('conversion.updated', approved, earning('approved', 3000)),
      ['correction', -1000],
    ],
    [
      'given an explicit amount',
      changed('conversion.updated', earning('approved', 3000), earning('approved', 3500)),
      ['correction', 500],
    ],
    [
      'refunded',
      changed('conversion.refunded', earning('approved', 3500), earning('refunded', 3500)),
      ['reversal', -3500],
    ],
    [
      'approved again',
      changed('conversion.approved', earning('refunded', 3500), approved),
      ['commission', 4000],
    ],
    [
      'rejected while pending',
      changed('conversion.rejected', pending, earning('rejected', 4000)),
      undefined,
    ],
    [
      'rejected while approved',
      changed('conversion.rejected', approved, earning('rejected', 4000)),
      ['reversal', -4000],
    ],
    ['approved for nothing', createdAs(earning('approved', 0)), undefined],
    [
      'corrected to nothing',
      changed('conversion.updated', approved, earning('approved', 0)),
      ['reversal', -4000],
    ],
    [
      'corrected from nothing',
      changed('conversion.updated', earning('approved', 0), approved),
      ['commission', 4000],
    ],
    [
      'corrected while pending',
      changed('conversion.updated', pending, earning('pending', 3000)),
      undefined,
    ],
    [
      'changed in another field',
      changed('conversion.updated', approved, { ...approved, metadata: { a: '3' } }),
      undefined,
    ],
  ])('when it is %s', (_, event, expected) => {
    const entry = balanceDeltaOf(recorded(event))?.entry;
    expect(entry && [entry.kind, entry.amount]).toEqual(expected);
  });

  it('has the day and the id of the conversion, in the balance of its affiliate', () => {
    expect(balanceDeltaOf(recorded(createdAs(approved)))).toEqual({
      about: balanceAbout,
      entry: {
        kind: 'commission',
        amount: 4000,
        payable_on: '2026-01-31',
        conversion_id: about.conversion_id,
        adjustment_id: null,
        description: null,
      },
    });
  });
});

describe('the entry of an adjustment', () => {
  const adjustment = {
    adjustment_id: derivedId('adjustment', '1'),
    ...inProgram,
    currency: 'USD',
    amount: -8000,
    description: 'Deduction',
    payable_on: '2026-01-05',
    external_id: null,
  };
  const posted: AdjustmentFields = { status: 'posted', metadata: {}, reason: null };
  const changedTo = (
    type: 'adjustment.updated' | 'adjustment.voided',
    after: AdjustmentFields,
  ): AdjustmentEvent => ({ type, data: { ...adjustment, before: posted, after } });
  const entry = {
    kind: 'adjustment',
    amount: -8000,
    payable_on: '2026-01-05',
    conversion_id: null,
    adjustment_id: adjustment.adjustment_id,
    description: 'Deduction',
  };

  it('is its amount, on its day, with its description', () => {
    const event: AdjustmentEvent = {
      type: 'adjustment.created',
      data: { ...adjustment, reported_payable_on: null, after: posted },
    };
    expect(balanceDeltaOf(recorded(event))).toEqual({ about: balanceAbout, entry });
  });

  it('is undone on the same day when it is voided', () => {
    const event = changedTo('adjustment.voided', { ...posted, status: 'voided', reason: 'twice' });
    expect(balanceDeltaOf(recorded(event))).toEqual({
      about: balanceAbout,
      entry: { ...entry, kind: 'adjustment_void', amount: 8000 },
    });
  });

  it('stays when something else changes', () => {
    const event = changedTo('adjustment.updated', { ...posted, metadata: { a: '1' } });
    expect(balanceDeltaOf(recorded(event))).toBeUndefined();
  });
});

it('does not exist for an event that does not concern money', () => {
  const event = { type: 'affiliate.deleted', data: {} } as DomainEvent;
  expect(balanceDeltaOf(recorded(event))).toBeUndefined();
});

it('needs an account that owes it', () => {
  expect(() => balanceDeltaOf(recorded(createdAs(approved), { account_id: null }))).toThrow(
    'the event conversion.created has no account_id',
  );
});

it('has a balance for each account, affiliate and currency', () => {
  const ids = [
    balanceIdOf(account, affiliate_id, 'USD'),
    balanceIdOf('acct_2', affiliate_id, 'USD'),
    balanceIdOf(account, 'aff_b', 'USD'),
    balanceIdOf(account, affiliate_id, 'EUR'),
  ];
  expect(new Set(ids).size).toBe(4);
  expect(ids[0]).toBe(balanceAbout.balance_id);
});

it('has an id for each entry of each balance', () => {
  const { balance_id } = balanceAbout;
  const ids = [entryIdOf(balance_id, 1), entryIdOf(balance_id, 2), entryIdOf('bal_b', 1)];
  expect(new Set(ids).size).toBe(3);
  expect(ids[0]).toMatch(/^ent_/);
});
