import type { Difference } from '../verify/compare.js';
import { redactedLeaf } from './redact.js';
import { showValue } from './show-value.js';

/** A difference in a line, without secrets. */
export const differenceLine = (view: string, difference: Difference): string => {
  const at = `  ${view} ${difference.id}: `;
  switch (difference.kind) {
    case 'missing':
      return `${at}not stored, but the log makes it`;
    case 'extra':
      return `${at}stored, but the log does not make it`;
    case 'field': {
      const { field, stored, folded } = difference;
      return `${at}${field} stored ${leaf(view, field, stored)}, folded ${leaf(view, field, folded)}`;
    }
  }
};

const leaf = (view: string, field: string, value: unknown): string =>
  value === undefined ? 'nothing' : showValue(redactedLeaf(view, field, value));
