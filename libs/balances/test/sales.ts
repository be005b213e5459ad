import { randomUUID } from 'node:crypto';
import { noCommission, streams, toInstant, unreported } from '@refledger/contracts';
import type {
  AdjustmentEvent,
  AdjustmentId,
  AffiliateId,
  ConversionEvent,
  ConversionFields,
  ConversionId,
  EntryKind,
  EventMetadata,
  StreamName,
} from '@refledger/contracts';
import {
  encodeEvent,
  type EventLog,
  type ExpectedRevision,
  type NewEvent,
} from '@refledger/event-log';
import fc from 'fast-check';

/** Whose sale it is, in what currency, and the day from which its commission is payable. */
export interface Sale {
  readonly affiliate: AffiliateId;
  readonly currency: 'USD' | 'EUR';
  readonly day: string;
}

/** A change to one sale. A change that the conversion's status does not allow records nothing. */
export interface Change {
  readonly sale: number;
  /** `granted` and `voided` leave the sale as it is, and adjust the balance of its affiliate. */
  readonly to: 'approved' | 'corrected' | 'rejected' | 'refunded' | 'granted' | 'voided';
  /** The commission that it earns from then on, or the amount of the adjustment. */
  readonly amount: number;
  /** How far time advances before it. */
  readonly minutes: number;
  /** How many minutes its gateway's clock is ahead. */
  readonly ahead: number;
}

/** An entry that is due, as this model of a shop knows it. */
export interface DueEntry extends Sale {
  readonly kind: EntryKind;
  readonly amount: number;
  readonly conversion_id: ConversionId | null;
  readonly adjustment_id: AdjustmentId | null;
  readonly description: string | null;
  /** The id of the event that caused it. */
  readonly caused_by: string;
}

interface SaleChange extends Pick<Change, 'amount' | 'ahead'> {
  readonly to: Exclude<Change['to'], 'granted' | 'voided'>;
}

export const sale: fc.Arbitrary<Sale> = fc.record({
  affiliate: fc.constantFrom('aff_a', 'aff_a', 'aff_a', 'aff_b'),
  currency: fc.constantFrom('USD', 'USD', 'USD', 'EUR'),
  day: fc.constantFrom('2026-02-01', '2026-02-02', '2026-02-28', '2025-12-31', '2026-03-01'),
});

export const change: fc.Arbitrary<Change> = fc.record({
  sale: fc.nat(5),
  to: fc.constantFrom('approved', 'approved', 'corrected', 'corrected', 'rejected', 'refunded'),
  amount: fc.oneof(fc.nat(3), fc.integer({ min: 999_999_999_990, max: 999_999_999_999 })),
  minutes: fc.nat(3),
  ahead: fc.integer({ min: -5, max: 5 }),
});

/** A change, or an adjustment for the affiliate of a sale, positive or negative. */
export const changeOrAdjustment: fc.Arbitrary<Change> = fc.oneof(
  { arbitrary: change, weight: 3 },
  {
    arbitrary: fc
      .tuple(change, fc.constantFrom('granted', 'granted', 'voided'), fc.constantFrom(1, -1))
      .map(([adjusted, to, sign]) => ({ ...adjusted, to, amount: sign * (adjusted.amount + 1) })),
    weight: 1,
  },
);

/** An adjustment for the affiliate of a sale, in its currency and payable on its day. */
interface Adjustment extends Sale {
  readonly id: AdjustmentId;
  readonly amount: number;
  isVoid: boolean;
  recordedAt: string;
}

interface Conversion extends Sale {
  readonly id: ConversionId;
  fields: ConversionFields | undefined;
  revision: number;
  recordedAt: string;
}

/**
 * Records sales and their changes, and knows what is then owed. It derives that from what happens
 * to each sale, never from the events.
 */
export class Sales {
  readonly due: DueEntry[] = [];
  private readonly conversions: readonly Conversion[];
  private readonly adjustments: Adjustment[] = [];

  /** The sales of affiliates that no other test uses. `now` is in milliseconds since 1970. */
  constructor(
    private readonly log: EventLog,
    sales: readonly Sale[],
    public now: number,
  ) {
    const run = randomUUID();
    this.conversions = sales.map(({ affiliate, ...sale }) => ({
      ...sale,
      affiliate: `${affiliate}_${run}`,
      id: `conv_${randomUUID()}`,
      fields: undefined,
      revision: -1,
      recordedAt: '',
    }));
  }

  /** What is owed now for each sale, and for each adjustment. */
  get owed(): ReadonlyMap<string, number> {
    return new Map([
      ...this.conversions.map((conversion) => [conversion.id, owedTo(conversion)] as const),
      ...this.adjustments.map(({ id, amount, isVoid }) => [id, isVoid ? 0 : amount] as const),
    ]);
  }

  async take({ sale, to, minutes, ...change }: Change): Promise<void> {
    this.now += minutes * 60_000;
    const conversion = this.conversions[sale % this.conversions.length];
    if (conversion === undefined) return;
    if (to === 'granted') await this.grant(conversion, change);
    else if (to === 'voided') await this.void(change);
    else if (isPossible(conversion, to)) await this.change(conversion, { to, ...change });
  }

  private async change(conversion: Conversion, change: SaleChange): Promise<void> {
    const before = owedTo(conversion);
    const events = this.recorded(conversion, change);
    const expected = conversion.revision < 0 ? 'no stream' : conversion.revision;
    const { revision } = await this.log.append(stream(conversion), events, expected);
    conversion.revision = revision;
    const after = owedTo(conversion);
    if (after === before) return;
    const { id: conversion_id, affiliate, currency, day } = conversion;
    this.due.push({
      affiliate,
      currency,
      day,
      kind: before === 0 ? 'commission' : after === 0 ? 'reversal' : 'correction',
      amount: after - before,
      conversion_id,
      adjustment_id: null,
      description: null,
      caused_by: events.at(-1)?.id ?? '',
    });
  }

  private async grant(
    { affiliate, currency, day }: Sale,
    { amount, ahead }: Pick<Change, 'amount' | 'ahead'>,
  ): Promise<void> {
    const id: AdjustmentId = `adj_${randomUUID()}`;
    const adjustment = { affiliate, currency, day, id, amount, isVoid: false, recordedAt: '' };
    this.adjustments.push(adjustment);
    await this.adjust(adjustment, 'no stream', ahead, {
      type: 'adjustment.created',
      data: { ...aboutAdjustment(adjustment), reported_payable_on: day, after: postedFields },
    });
  }

  /** Voids the last adjustment that is not void. */
  private async void({ ahead }: Pick<Change, 'ahead'>): Promise<void> {
    const adjustment = this.adjustments.findLast(({ isVoid }) => !isVoid);
    if (adjustment === undefined) return;
    adjustment.isVoid = true;
    await this.adjust(adjustment, 0, ahead, {
      type: 'adjustment.voided',
      data: {
        ...aboutAdjustment(adjustment),
        before: postedFields,
        after: { ...postedFields, status: 'voided' },
      },
    });
  }

  private async adjust(
    adjustment: Adjustment,
    expected: ExpectedRevision,
    ahead: number,
    event: AdjustmentEvent,
  ): Promise<void> {
    const { id, affiliate, currency, day, amount, isVoid } = adjustment;
    const append = encoded(adjustment, this.now + ahead * 60_000, event);
    await this.log.append(streams.adjustment(id), [append], expected);
    this.due.push({
      affiliate,
      currency,
      day,
      kind: isVoid ? 'adjustment_void' : 'adjustment',
      amount: isVoid ? -amount : amount,
      conversion_id: null,
      adjustment_id: id,
      description: 'Bonus',
      caused_by: append.id,
    });
  }

  /** A sale starts as pending, and may be approved in the same append. */
  private recorded(conversion: Conversion, { to, amount, ahead }: SaleChange): NewEvent[] {
    const now = this.now + ahead * 60_000;
    const { fields: before } = conversion;
    const after: ConversionFields = {
      ...(before ?? pending),
      ...(to !== 'rejected' && to !== 'refunded' && { commission_amount: amount }),
      ...(to !== 'corrected' && { status: to }),
    };
    conversion.fields = after;
    if (before !== undefined)
      return [
        encoded(conversion, now, {
          type: to === 'corrected' ? 'conversion.updated' : `conversion.${to}`,
          data: { ...conversionData(conversion), before, after },
        }),
      ];
    const first = { ...after, status: 'pending' } as const;
    const basis = { reported_occurred_at: null, terms: null, first_occurred_at: null };
    const created: ConversionEvent = {
      type: 'conversion.created',
      data: { ...conversionData(conversion), basis, after: first },
    };
    if (after.status !== 'approved') return [encoded(conversion, now, created)];
    const approved: ConversionEvent = {
      type: 'conversion.approved',
      data: { ...conversionData(conversion), before: first, after },
    };
    return [
      encoded(conversion, now, created, { append_continues: true }),
      encoded(conversion, now, approved),
    ];
  }
}

/** If the gateway's clock is behind the last event of the stream, that event's time is kept. */
const encoded = (
  last: { recordedAt: string },
  now: number,
  event: ConversionEvent | AdjustmentEvent,
  more: Partial<EventMetadata> = {},
): NewEvent => {
  const recorded_at = toInstant(now);
  const isKept = last.recordedAt > recorded_at;
  last.recordedAt = isKept ? last.recordedAt : recorded_at;
  return encodeEvent(event, randomUUID(), {
    account_id: 'acct_1',
    actor: 'key_1',
    request_id: 'r',
    recorded_at: last.recordedAt,
    ...(isKept && { time_kept: true }),
    ...more,
  });
};

const { metadata, ...details } = unreported;
const pending: ConversionFields = {
  status: 'pending',
  sale_amount: 4950,
  refunded_amount: 0,
  commission_amount: 0,
  commission: noCommission,
  reason: null,
  metadata,
  payout_id: null,
};

const postedFields = { status: 'posted', metadata: {}, reason: null } as const;

const aboutAdjustment = ({ id, affiliate, currency, day, amount }: Adjustment) => ({
  adjustment_id: id,
  affiliate_id: affiliate,
  program_id: 'prog_spring' as const,
  currency,
  amount,
  description: 'Bonus',
  payable_on: day,
  external_id: null,
});

const conversionData = ({ id, affiliate, currency, day }: Conversion) => ({
  conversion_id: id,
  affiliate_id: affiliate,
  program_id: 'prog_spring' as const,
  sale_currency: currency,
  occurred_at: '2026-01-01T00:00:00.000Z',
  payable_on: day,
  ...details,
});

const isPossible = ({ fields }: Conversion, to: SaleChange['to']): boolean => {
  if (fields === undefined) return to === 'approved' || to === 'corrected';
  if (to === 'approved') return fields.status !== 'approved';
  if (to === 'rejected') return fields.status === 'pending' || fields.status === 'approved';
  if (to === 'refunded') return fields.status === 'approved';
  return fields.status !== 'refunded';
};

const owedTo = ({ fields }: Conversion): number =>
  fields?.status === 'approved' ? fields.commission_amount : 0;

const stream = ({ id }: Conversion): StreamName => streams.conversion(id);
