import { isId, type BalanceId, type PayoutRunPreview } from '@refledger/contracts';
import type { BalanceCursor } from '@refledger/balances';
import type { Consistency, PacedReads } from '@refledger/application';
import { runTerms } from '@refledger/domain';
import { balancesProjection, payoutsProjection } from '@refledger/projections';
import {
  type MoneyReads,
  PreviewTotals,
  PreviewWalk,
  type PreviewWalkParts,
  requirePosition,
} from '@refledger/queries';
import type { ApiResponse, Call } from '../../http/request/call.js';
import { decodeCursor, encodeCursor } from '../../lists/cursor.js';
import { positionHeader } from '../../records.js';

export interface RunPreviewsParts extends PreviewWalkParts {
  readonly money: Pick<MoneyReads, 'settle' | 'find'>;
  readonly consistency: Pick<Consistency, 'readHead'>;
  readonly pacedReads: Pick<PacedReads, 'run' | 'batches'>;
}

/** Previews of payout runs. A preview decides as a run does, and records nothing. */
export class RunPreviews {
  constructor(
    private readonly parts: RunPreviewsParts,
    /** How many balances a preview goes through before it stops. */
    private readonly maxBalances = 10_000,
  ) {}

  /**
   * Waits until the read models reach what is now the end of the log, and goes through the open
   * balances, taking turns with the reads of other accounts.
   */
  async preview(call: Call<'createPayoutRun'>): Promise<ApiResponse> {
    const { caller, body } = call;
    const { money, commands, consistency, pacedReads } = this.parts;
    const terms = runTerms(body, commands.instant());
    const scope = ['payout_run_preview', caller.accountId, JSON.stringify(terms)];
    const begin = body.cursor === undefined ? undefined : balanceIn(body.cursor, scope);
    const head = await consistency.readHead();
    await money.settle([balancesProjection, payoutsProjection], { caller, minPosition: head });
    const walk = new PreviewWalk(this.parts, { caller, terms, maxBalances: this.maxBalances });
    const totals = new PreviewTotals();
    await pacedReads.run(caller, async () => {
      for await (const rows of pacedReads.batches(walk.rows(begin)))
        for (const row of rows) totals.add(row);
    });
    const position = requirePosition(head);
    const preview: PayoutRunPreview = {
      object: 'payout_run_preview',
      until: terms.until,
      totals: totals.rows(),
      position,
      has_more: walk.next !== undefined,
      next_cursor:
        walk.next === undefined ? null : encodeCursor([walk.next.created_at, walk.next.id], scope),
    };
    return { status: 200, body: preview, headers: positionHeader(position) };
  }
}

const balanceIn = (cursor: string, scope: readonly string[]): BalanceCursor => {
  const [created_at, id] = decodeCursor(cursor, scope, isBalance, '/cursor');
  return { created_at, id };
};

const isBalance = (values: readonly unknown[]): values is [string, BalanceId] => {
  const [created_at, id, ...others] = values;
  const isText = typeof created_at === 'string' && typeof id === 'string';
  return isText && isId('balance', id) && others.length === 0;
};
