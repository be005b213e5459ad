import { DomainError } from '@refledger/contracts';
import type {
  ConversionEvent,
  ConversionId,
  PaidPart,
  PayoutId,
  TermsInForce,
  UpdateConversion,
} from '@refledger/contracts';
import type { Decider } from '../decider.js';
import { differences, fieldNames, keyReused } from '../differences.js';
import { termsAfterEvent } from './by-terms.js';
import { conversionAfter, type ConversionCreated } from './conversion-record.js';
import type { ConversionState, RecordedConversion } from './conversion-state.js';
import { updated } from './conversion-update.js';
import { newConversion, type RecordSale } from './new-conversion.js';
import { paidBy, paidHistoryAfter, unpaidBy } from './paid-status.js';
import { requireNoLowerRefund } from './refund.js';
import { normalized, saleOf } from './sale.js';

export type ConversionCommand =
  | RecordSale
  | {
      readonly type: 'update';
      readonly conversion_id: ConversionId;
      readonly patch: UpdateConversion;
      /** Whether the client named the revision that it changes (`If-Match`, but not `*`). */
      readonly namesRevision?: boolean;
      /** The terms that a new sale would take now; null if there are none. */
      readonly inForce: TermsInForce | null;
    }
  | {
      /** A payout that paid for the conversion is completed. */
      readonly type: 'pay';
      readonly conversion_id: ConversionId;
      readonly part: PaidPart;
    }
  | {
      /** The money of a completed payout came back. */
      readonly type: 'unpay';
      readonly conversion_id: ConversionId;
      readonly payout_id: PayoutId;
    };

/** The whole life of a conversion. */
export const conversionDecider: Decider<ConversionCommand, ConversionState, ConversionEvent> = {
  initial: { kind: 'none' },

  decide(command, state) {
    switch (command.type) {
      case 'record':
        return state.kind === 'none' ? newConversion(command) : repeated(command, state.created);
      case 'update':
        return updatedBy(command, existing(state, command.conversion_id));
      case 'pay':
        return paidBy(command.part, existing(state, command.conversion_id));
      case 'unpay':
        return unpaidBy(command.payout_id, existing(state, command.conversion_id));
    }
  },

  evolve(state, event, at) {
    const before = state.kind === 'none' ? undefined : state;
    const record = conversionAfter(before?.record, event, at);
    const created = event.type === 'conversion.created' ? event.data : before?.created;
    if (!record || !created) return state;
    const terms = termsAfterEvent(before?.terms ?? null, event);
    return {
      kind: 'recorded',
      record,
      created,
      terms,
      paidHistory: paidHistoryAfter(before?.paidHistory, event),
    };
  },
};

const updatedBy = (
  change: Extract<ConversionCommand, { type: 'update' }>,
  recorded: RecordedConversion,
): ConversionEvent[] => {
  if (change.namesRevision !== true) requireNoLowerRefund(change.patch, recorded.record);
  return updated(change, recorded);
};

/**
 * Compares with the sale as first recorded, before any rule applies: a changed affiliate does not
 * matter.
 */
const repeated = (
  { conversion_id, sale }: RecordSale,
  first: ConversionCreated['data'],
): ConversionEvent[] => {
  const errors = differences(normalized(sale), saleOf(first));
  if (errors.length === 0) return [];
  const { external_transaction_id } = sale;
  if (external_transaction_id === undefined)
    throw keyReused(`created conversion ${conversion_id}`, errors);
  throw new DomainError(
    'conversion_exists',
    `external_transaction_id ${JSON.stringify(external_transaction_id)} belongs to conversion ${conversion_id}, which was recorded with other values of ${fieldNames(errors)}. Send the same values, or another id.`,
    { conversion_id, errors },
  );
};

const existing = (state: ConversionState, id: ConversionId): RecordedConversion => {
  if (state.kind === 'none')
    throw new DomainError('not_found', `There is no conversion ${id}. Check the id.`);
  return state;
};
