import type { SentTerms } from '@refledger/testing';
import type { History, Version } from '../history.js';
import type { Entry } from '../ledger.js';
import type { SentProgram } from '../load/programs.js';
import type { Deal } from './booked-sale.js';

/** An affiliate as its requests describe it, from one position of the log on. */
interface Seller {
  readonly from: bigint;
  readonly status: string;
  /** Its own terms, which override the program's. */
  readonly terms: SentTerms | null;
}

/** The fields of an affiliate's requests that the books depend on. */
interface AffiliateRequest {
  readonly program_id?: string;
  readonly status?: string;
  readonly commission?: SentTerms | null;
}

/** Where the terms and approvals of a sale come from. */
export interface Sources {
  /** By request id. */
  readonly sent: ReadonlyMap<string, Entry>;
  readonly programs: ReadonlyMap<string, SentProgram>;
  readonly history: Pick<History, 'versions'>;
}

/** A sale's place in time: between what was acknowledged before it, and its own position. */
export interface Window {
  readonly seen: bigint;
  readonly position: bigint;
}

/**
 * The deals under which a sale of this affiliate may have been recorded. A change that was
 * acknowledged before the sale was sent applies to it. One that came in between may apply.
 */
export const dealsOf = (
  affiliate: string,
  { seen, position }: Window,
  { sent, programs, history }: Sources,
): readonly Deal[] => {
  const versions = history.versions.get(affiliate) ?? [];
  const program = programs.get(versions[0]?.record.program_id ?? '');
  return sellers(versions, program, sent)
    .filter(({ from }, index, all) => {
      const until = all[index + 1]?.from;
      return from < position && (until === undefined || until > seen);
    })
    .filter(({ status }) => status === 'pending' || status === 'approved')
    .map(({ status, terms }) => ({
      terms: terms ?? program?.terms ?? null,
      isApproved: status === 'approved' && program?.conversion_approval === 'automatic',
    }));
};

const sellers = (
  versions: readonly Version[],
  program: SentProgram | undefined,
  sent: Sources['sent'],
): readonly Seller[] => {
  const all: Seller[] = [];
  for (const { event, deleted } of versions) {
    // decoding boundary: the load sends these fields
    const request = (sent.get(event.metadata.request_id)?.intent.body ?? {}) as AffiliateRequest;
    const before = all.at(-1) ?? {
      status: program?.affiliate_approval === 'automatic' ? 'approved' : 'pending',
      terms: null,
    };
    all.push({
      from: BigInt(event.position),
      status: deleted ? 'deleted' : (request.status ?? before.status),
      terms: request.commission === undefined ? before.terms : request.commission,
    });
  }
  return all;
};
