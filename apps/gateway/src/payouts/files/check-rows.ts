import { DomainError } from '@refledger/contracts';
import { isUsable, type PayoutTemplate, type RowOrGone } from './payout-template.js';

/** How many payouts a problem names. */
const namedAtMost = 1_000;

/**
 * Goes through the rows of a file, and returns how many there are. Throws `payee_unusable` if one
 * of them is impossible, so that no file silently lacks a payout, and `payee_changed` if money
 * would go where it did not go before.
 */
export const checkRows = async (
  pages: AsyncIterable<readonly RowOrGone[]>,
  template: PayoutTemplate,
  { acceptChanged }: { readonly acceptChanged: boolean },
): Promise<number> => {
  const [unusable, changed] = [new Named(), new Named()];
  let rows = 0;
  for await (const page of pages)
    for (const row of page) {
      rows++;
      if ('gone' in row) unusable.add(row.gone);
      else if (!template.forProvider) continue;
      else if (!isUsable(template, row)) unusable.add(row.payout.id);
      else if (row.isChanged && !acceptChanged) changed.add(row.payout.id);
    }
  if (unusable.count > 0) throw unusableRows(unusable);
  if (changed.count > 0) throw changedRows(changed);
  return rows;
};
const unusableRows = ({ count, ids }: Named): DomainError =>
  new DomainError(
    'payee_unusable',
    `${count} of these payouts cannot be in the file: the affiliate was deleted, or some of its text is not allowed in the file. Cancel or fail them, or mark them as completed if they were paid elsewhere.`,
    { payouts: ids },
  );

const changedRows = ({ count, ids }: Named): DomainError =>
  new DomainError(
    'payee_changed',
    `The recipient of ${count} of these payouts has changed since the payout was made, or since the affiliate was last paid. Check them, then send accept_changed_payees=true.`,
    { payouts: ids },
  );

/** Counts payouts, and names the first of them. */
class Named {
  readonly ids: string[] = [];
  count = 0;

  add(id: string): void {
    this.count++;
    if (this.ids.length < namedAtMost) this.ids.push(id);
  }
}
