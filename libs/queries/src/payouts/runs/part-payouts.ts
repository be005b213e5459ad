import type { PayoutRecord, RunId } from '@refledger/contracts';
import { payoutsProjection, type PayoutDocument } from '@refledger/projections';
import type { Document } from '@refledger/read-store';
import type { MoneyReads } from '../../money-reads.js';
import type { PartOfRun } from './part-of-run.js';

/** A part of the payouts of a run in one currency. */
export interface RunPart extends Pick<PartOfRun, 'skipped' | 'size'> {
  readonly run_id: RunId;
  readonly currency: string;
}

/** How many payouts are read at a time. */
const pageSize = 100;

/**
 * Yields the payouts of a part in the order of their creation, whatever became of them. So a part
 * has the same payouts at any time.
 */
export async function* payoutsOfPart(
  money: Pick<MoneyReads, 'find'>,
  { run_id, currency, skipped, size }: RunPart,
): AsyncGenerator<readonly PayoutRecord[]> {
  let after: string | undefined;
  for (let read = 0; read < skipped + size;) {
    const limit = Math.min(pageSize, skipped + size - read);
    const { value } = await money.find(payoutsProjection, {
      where: [
        { field: 'run_id', equals: run_id },
        { field: 'currency', equals: currency },
      ],
      order: { fields: ['created_position'], descending: false },
      ...(after !== undefined && { after: [after] }),
      limit,
    });
    // a decoding boundary: the projection wrote these documents
    const page = value as readonly (Document & PayoutDocument)[];
    const payouts = page.slice(Math.max(0, skipped - read)).map(({ record }) => record);
    if (payouts.length > 0) yield payouts;
    read += page.length;
    after = page.at(-1)?.created_position;
    if (page.length < limit) return;
  }
}
