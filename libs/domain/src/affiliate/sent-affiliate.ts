import type {
  Metadata,
  OpenAffiliateRecord,
  ProgramId,
  ValidationIssue,
} from '@refledger/contracts';
import { differences } from '../differences.js';

/**
 * The fields that a client sent to create an affiliate, normalized. A repeated request is compared
 * with them.
 */
export interface NewAffiliate {
  readonly program_id: ProgramId;
  readonly email: string;
  readonly external_id: string | null;
  readonly name: string;
  readonly metadata: Metadata;
}

/** The same fields, of which `external_id` need not be sent. */
export type SentAffiliate = Omit<NewAffiliate, 'external_id'> &
  Partial<Pick<NewAffiliate, 'external_id'>>;

/** Returns the fields as they are recorded. */
export const normalized = ({
  program_id,
  email,
  external_id = null,
  name,
  metadata,
}: SentAffiliate): NewAffiliate => ({
  program_id,
  email,
  external_id,
  name: name.trim(),
  metadata,
});

/**
 * Returns how a request to create an affiliate differs from the one that already has its email in
 * the program. Forms of the email that are the same address do not differ.
 */
export const differencesFromHolder = (
  sent: SentAffiliate,
  holder: OpenAffiliateRecord,
): readonly ValidationIssue[] => {
  const { program_id, email } = holder;
  return differences(normalized({ ...sent, program_id, email }), normalized(holder));
};
