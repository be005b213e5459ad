import type { Difference } from '../verify/compare.js';
import { redactedLeaf } from './redact.js';
import { showValue } from './show-value.js';

/** A difference on one line, without secrets. */
export const differenceLine = (projection: string, difference: Difference): string => {
  const at = `  ${projection} ${difference.id}: `;
  switch (difference.kind) {
    case 'missing':
      return `${at}not stored, but the log makes it`;
    case 'extra':
      return `${at}stored, but the log does not make it`;
    case 'field': {
      const { field, stored, folded } = difference;
      return `${at}${field} stored ${leaf(projection, field, stored)}, folded ${leaf(projection, field, folded)}`;
    }
  }
};

const leaf = (projection: string, field: string, value: unknown): string =>
  value === undefined ? 'nothing' : showValue(redactedLeaf(projection, field, value));
