import { DomainError, ifMatchPattern } from '@refledger/contracts';

/** The revisions that `If-Match` accepts. */
export type IfMatch = 'any' | readonly number[];

/**
 * Parses the entity tags of RFC 9110 §13.1.1: `*` or a list; undefined when it is neither. A weak
 * tag, or one that Refledger never made, matches nothing.
 */
export const entityTags = (value: string): IfMatch | undefined => {
  if (!ifMatch.test(value)) return undefined;
  if (value === '*') return 'any';
  const strong = [...value.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag = '']) =>
    weak === undefined ? [tag] : [],
  );
  return strong.filter((tag) => revision.test(tag)).map(Number);
};

const ifMatch = new RegExp(ifMatchPattern);
/** A revision as Refledger writes it: `"00"` was never one of its entity tags. */
const revision = /^(0|[1-9]\d{0,9})$/;

/** Throws `revision_mismatch` unless the record is at a revision that `If-Match` accepts. */
export const requireRevision = (wanted: IfMatch | undefined, actual: number | undefined): void => {
  if (wanted === undefined || wanted === 'any' || (actual !== undefined && wanted.includes(actual)))
    return;
  throw new DomainError(
    'revision_mismatch',
    `The record is at revision ${actual}, which If-Match does not name as a strong tag. Read the record again and send its ETag.`,
  );
};

/** Whether `If-Match` names revisions: `*` accepts any, so it says nothing about what was read. */
export const namesRevision = (wanted: IfMatch | undefined): boolean =>
  wanted !== undefined && wanted !== 'any';
