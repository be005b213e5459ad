import { visibleText, type AffiliateId } from '@refledger/contracts';
import type { Difference } from './compare.js';
import { redactedLeaf } from '../format/redact.js';
import { showValue } from '../format/show-value.js';
import { shownText } from '../format/personal-changes.js';
import type { PersonalValues } from '../personal/personal-values.js';

/** A difference on one line, without secrets. Shows personal values if it gets what opens them. */
export const differenceLine = async (
  projection: string,
  difference: Difference,
  personal?: PersonalValues,
): Promise<string> => {
  const at = `  ${projection} ${difference.id}: `;
  switch (difference.kind) {
    case 'missing':
      return `${at}not stored, but folded from the log`;
    case 'extra':
      return `${at}stored, but not folded from the log`;
    case 'field': {
      const { field } = difference;
      const shown = async (value: unknown): Promise<string> =>
        value === undefined
          ? 'nothing'
          : showValue(
              isPersonal(projection, field) && personal !== undefined
                ? await openedLeaf(difference.id, value, personal)
                : redactedLeaf(projection, field, value),
            );
      return `${at}${visibleText(field)} stored ${await shown(difference.stored)}, folded ${await shown(difference.folded)}`;
    }
  }
};

/** Whether the field of a document is a sealed text. */
const isPersonal = (projection: string, field: string): boolean =>
  projection === 'affiliates' && field === 'record.sealed';

const openedLeaf = async (
  id: string,
  value: unknown,
  personal: PersonalValues,
): Promise<unknown> => {
  const text = String(value);
  // the id of the document is that of the affiliate
  const opened = await personal.open(id as AffiliateId, [text]);
  return opened.kind === 'open' ? opened.values.get(text) : shownText(opened);
};
