import { DomainError } from '@refledger/contracts';
import type { ConversionEvent, TermsInForce, UpdateConversion } from '@refledger/contracts';
import type { RecordedConversion } from './conversion-state.js';

/**
 * Returns the terms of a conversion after a patch. A conversion that was recorded without terms
 * takes those in force now if the patch asks for them, and keeps them. Throws `invalid_transition`
 * if there are none, or if the commission is explicit.
 */
export const termsAfterPatch = (
  { record, terms }: RecordedConversion,
  { commission }: UpdateConversion,
  inForce: TermsInForce | null,
): TermsInForce | null => {
  if (commission === undefined) return terms;
  switch (record.commission.source) {
    case 'program':
    case 'affiliate':
      return terms;
    case 'explicit':
      throw refused(
        `Conversion ${record.id} has an explicit commission_amount, so no terms apply to it. Send commission_amount null first, to return to its terms.`,
      );
    case 'none':
      if (inForce !== null) return inForce;
      throw refused(
        `Conversion ${record.id} cannot be computed by terms, because program ${record.program_id} has none, and neither has affiliate ${record.affiliate_id}. Set the program's terms first.`,
      );
  }
};

/** Returns the terms of a conversion after an event. */
export const termsAfterEvent = (
  before: TermsInForce | null,
  { type, data }: ConversionEvent,
): TermsInForce | null => {
  switch (type) {
    case 'conversion.created':
      return data.basis.terms;
    case 'conversion.updated':
    case 'conversion.approved':
    case 'conversion.rejected':
    case 'conversion.refunded':
      return data.terms ?? before;
    case 'conversion.paid':
    case 'conversion.unpaid':
      return before;
  }
};

const refused = (detail: string): DomainError => new DomainError('invalid_transition', detail);
