import {
  accountOf,
  derivedId,
  isEventOf,
  type AccountId,
  type AdjustmentEvent,
  type AffiliateId,
  type BalanceId,
  type ConversionEvent,
  type ConversionFields,
  type EntryId,
  type EntryKind,
  type Id,
  type ProgramId,
  type RecordedEvent,
} from '@refledger/contracts';

/** Identifies a balance, and whose it is. */
export interface BalanceKey {
  readonly balance_id: BalanceId;
  readonly affiliate_id: AffiliateId;
  readonly program_id: ProgramId;
  /** ISO 4217, upper case. */
  readonly currency: string;
}

/** A change in what is owed, and thus an entry to be posted. */
export interface BalanceDelta {
  readonly about: BalanceKey;
  readonly entry: {
    readonly kind: EntryKind;
    /** In the minor unit of the currency; never 0. */
    readonly amount: number;
    /** The day (UTC) whose bucket the entry is in. */
    readonly payable_on: string;
    readonly conversion_id: Id<'conversion'> | null;
    readonly adjustment_id: Id<'adjustment'> | null;
    /** Printed on the statement. */
    readonly description: string | null;
  };
}

/** An account has one balance per affiliate and currency. */
export const balanceIdOf = (
  account: AccountId,
  affiliate: AffiliateId,
  currency: string,
): BalanceId => derivedId('balance', account, affiliate, currency);

/** Returns the id of an entry of a balance by its number. */
export const entryIdOf = (balance: BalanceId, number: number): EntryId =>
  derivedId('entry', balance, String(number));

/**
 * Returns how an event changes what is owed; undefined if it changes nothing. The change follows
 * from the event alone, so that posting never depends on anything that becomes known later.
 */
export const balanceDeltaOf = (event: RecordedEvent): BalanceDelta | undefined => {
  if (isEventOf('conversion', event)) return ofConversion(event);
  return isEventOf('adjustment', event) ? ofAdjustment(event) : undefined;
};

const ofConversion = (event: RecordedEvent<ConversionEvent>): BalanceDelta | undefined => {
  const { data } = event;
  const before = event.type === 'conversion.created' ? 0 : owed(event.data.before);
  const after = owed(data.after);
  if (after === before) return undefined;
  return {
    about: aboutOf(event, { ...data, currency: data.sale_currency }),
    entry: {
      kind: kindOf(before, after),
      amount: after - before,
      payable_on: data.payable_on,
      conversion_id: data.conversion_id,
      adjustment_id: null,
      description: null,
    },
  };
};

const ofAdjustment = (event: RecordedEvent<AdjustmentEvent>): BalanceDelta | undefined => {
  if (event.type === 'adjustment.updated') return undefined;
  const { data } = event;
  const isVoid = event.type === 'adjustment.voided';
  return {
    about: aboutOf(event, data),
    entry: {
      kind: isVoid ? 'adjustment_void' : 'adjustment',
      amount: isVoid ? -data.amount : data.amount,
      payable_on: data.payable_on,
      conversion_id: null,
      adjustment_id: data.adjustment_id,
      description: data.description,
    },
  };
};

const aboutOf = (
  event: RecordedEvent,
  { affiliate_id, program_id, currency }: Omit<BalanceKey, 'balance_id'>,
): BalanceKey => ({
  balance_id: balanceIdOf(accountOf(event), affiliate_id, currency),
  affiliate_id,
  program_id,
  currency,
});

/** A commission is owed while its conversion is approved. */
const owed = ({ status, commission_amount }: ConversionFields): number =>
  status === 'approved' ? commission_amount : 0;

const kindOf = (before: number, after: number): EntryKind => {
  if (before === 0) return 'commission';
  return after === 0 ? 'reversal' : 'correction';
};
