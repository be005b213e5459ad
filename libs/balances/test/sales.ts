import { randomUUID } from 'node:crypto';
import { noCommission, streams, toInstant, unreported } from '@refledger/contracts';
import type {
  AffiliateId,
  ConversionEvent,
  ConversionFields,
  ConversionId,
  EventMetadata,
  StreamName,
} from '@refledger/contracts';
import { encodeEvent, type EventLog, type NewEvent } from '@refledger/event-log';
import fc from 'fast-check';

/** Whose sale it is, in what currency, and the day from which its commission is payable. */
export interface Sale {
  readonly affiliate: AffiliateId;
  readonly currency: 'USD' | 'EUR';
  readonly day: string;
}

/** A change of one sale. A change that the conversion's status does not allow records nothing. */
export interface Change {
  readonly sale: number;
  readonly to: 'approved' | 'corrected' | 'rejected' | 'refunded';
  /** The commission that it earns from then on. */
  readonly amount: number;
  /** How far time advances before it. */
  readonly minutes: number;
  /** How many minutes its gateway's clock is ahead. */
  readonly ahead: number;
}

/** An entry that is due, as this model of a shop knows it. */
export interface DueEntry extends Sale {
  readonly kind: 'commission' | 'correction' | 'reversal';
  readonly amount: number;
  readonly conversion_id: ConversionId;
  /** The id of the event that caused it. */
  readonly caused_by: string;
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

  /** What each sale is owed now. */
  get owed(): ReadonlyMap<ConversionId, number> {
    return new Map(this.conversions.map((conversion) => [conversion.id, owedTo(conversion)]));
  }

  async take({ sale, to, amount, minutes, ahead }: Change): Promise<void> {
    this.now += minutes * 60_000;
    const conversion = this.conversions[sale % this.conversions.length];
    if (conversion === undefined || !isPossible(conversion, to)) return;
    const before = owedTo(conversion);
    const events = this.recorded(conversion, { to, amount, ahead });
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
      caused_by: events.at(-1)?.id ?? '',
    });
  }

  /** A sale begins as pending, and may be approved in the same append. */
  private recorded(
    conversion: Conversion,
    { to, amount, ahead }: Omit<Change, 'sale' | 'minutes'>,
  ): NewEvent[] {
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
          data: { ...about(conversion), before, after },
        }),
      ];
    const first = { ...after, status: 'pending' } as const;
    const basis = { reported_occurred_at: null, terms: null, first_occurred_at: null };
    const created: ConversionEvent = {
      type: 'conversion.created',
      data: { ...about(conversion), basis, after: first },
    };
    if (after.status !== 'approved') return [encoded(conversion, now, created)];
    const approved: ConversionEvent = {
      type: 'conversion.approved',
      data: { ...about(conversion), before: first, after },
    };
    return [
      encoded(conversion, now, created, { append_continues: true }),
      encoded(conversion, now, approved),
    ];
  }
}

/** If the gateway's clock is behind the last event of the stream, that event's time is kept. */
const encoded = (
  conversion: Conversion,
  now: number,
  event: ConversionEvent,
  more: Partial<EventMetadata> = {},
): NewEvent => {
  const recorded_at = toInstant(now);
  const isKept = conversion.recordedAt > recorded_at;
  conversion.recordedAt = isKept ? conversion.recordedAt : recorded_at;
  return encodeEvent(event, randomUUID(), {
    account_id: 'acct_1',
    actor: 'key_1',
    request_id: 'r',
    recorded_at: conversion.recordedAt,
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
};

const about = ({ id, affiliate, currency, day }: Conversion) => ({
  conversion_id: id,
  affiliate_id: affiliate,
  program_id: 'prog_spring' as const,
  sale_currency: currency,
  occurred_at: '2026-01-01T00:00:00.000Z',
  payable_on: day,
  ...details,
});

const isPossible = ({ fields }: Conversion, to: Change['to']): boolean => {
  if (fields === undefined) return to === 'approved' || to === 'corrected';
  if (to === 'approved') return fields.status !== 'approved';
  if (to === 'rejected') return fields.status === 'pending' || fields.status === 'approved';
  if (to === 'refunded') return fields.status === 'approved';
  return fields.status !== 'refunded';
};

const owedTo = ({ fields }: Conversion): number =>
  fields?.status === 'approved' ? fields.commission_amount : 0;

const stream = ({ id }: Conversion): StreamName => streams.conversion(id);
