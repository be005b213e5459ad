import { visibleText } from '@refledger/contracts';
import type { Difference } from './compare.js';
import { redactedLeaf } from '../format/redact.js';
import { showValue } from '../format/show-value.js';

/** A difference on one line, without secrets. */
export const differenceLine = (projection: string, difference: Difference): string => {
  const at = `  ${projection} ${difference.id}: `;
  switch (difference.kind) {
    case 'missing':
      return `${at}not stored, but folded from the log`;
    case 'extra':
      return `${at}stored, but not folded from the log`;
    case 'field': {
      const { field, stored, folded } = difference;
      return `${at}${visibleText(field)} stored ${leaf(projection, field, stored)}, folded ${leaf(projection, field, folded)}`;
    }
  }
};

const leaf = (projection: string, field: string, value: unknown): string =>
  value === undefined ? 'nothing' : showValue(redactedLeaf(projection, field, value));
