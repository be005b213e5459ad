import { DomainError } from '@refledger/contracts';

/** The revisions that `If-Match` accepts. */
export type IfMatch = 'any' | readonly number[];

/** Entity tags of RFC 9110 §13.1.1: `*` or a list; undefined when it is neither. A weak tag, or one that we never made, matches nothing. */
export const entityTags = (value: string): IfMatch | undefined => {
  if (value.trim() === '*') return 'any';
  const tags = value.split(',').map((tag) => /^\s*(W\/)?"([^"]*)"\s*$/.exec(tag));
  if (tags.some((tag) => tag === null)) return undefined;
  return tags.flatMap((tag) => (tag?.[1] === undefined && /^\d{1,10}$/.test(tag?.[2] ?? '') ? [Number(tag?.[2])] : []));
};

/** Fails unless the record is at the revision that `If-Match` asks for. */
export const requireRevision = (wanted: IfMatch | undefined, actual: number | undefined): void => {
  if (wanted === undefined || wanted === 'any' || (actual !== undefined && wanted.includes(actual))) return;
  throw new DomainError('revision_mismatch', `the record is at revision ${actual}, and If-Match names no such strong tag (a weak one, W/, matches nothing)`);
};
