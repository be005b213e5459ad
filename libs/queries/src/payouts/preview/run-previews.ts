import type { PayoutRunPreview, Position } from '@refledger/contracts';
import type { BalanceCursor } from '@refledger/balances';
import type { Consistency, ThrottledReads, Reader } from '@refledger/application';
import { runTerms } from '@refledger/domain';
import { balancesProjection, payoutsProjection } from '@refledger/projections';
import type { MoneyReads } from '../../money-reads.js';
import { PreviewTotals } from './preview-totals.js';
import { PreviewWalk, type PreviewTerms, type PreviewWalkParts } from './preview-walk.js';
import { requirePosition } from '../../balances/shown-balances.js';

export interface RunPreviewsParts extends PreviewWalkParts {
  readonly money: Pick<MoneyReads, 'settle' | 'find'>;
  readonly consistency: Pick<Consistency, 'readHead'>;
  readonly throttledReads: Pick<ThrottledReads, 'run' | 'batches'>;
}

/** A preview of the balances up to a maximum, and the position that it reflects. */
export interface PreviewPart {
  readonly preview: Omit<PayoutRunPreview, 'has_more' | 'next_cursor'>;
  /** The balance after which the next preview continues; undefined if no other follows. */
  readonly next: BalanceCursor | undefined;
  readonly position: Position;
}

/** Previews of payout runs. A preview decides as a run does, and records nothing. */
export class RunPreviews {
  constructor(
    private readonly parts: RunPreviewsParts,
    /** How many balances a preview goes through before it stops. */
    private readonly maxBalances = 10_000,
  ) {}

  /** The terms that a run would have if it started now. */
  terms(run: Parameters<typeof runTerms>[0]): ReturnType<typeof runTerms> {
    return runTerms(run, this.parts.commands.instant());
  }

  /**
   * Waits until the read models reach what is now the end of the log, and goes through the open
   * balances from `begin` on, taking turns with the reads of other accounts.
   */
  async preview(
    caller: Reader,
    terms: PreviewTerms,
    begin: BalanceCursor | undefined,
  ): Promise<PreviewPart> {
    const { money, consistency, throttledReads } = this.parts;
    const head = await consistency.readHead();
    await money.settle([balancesProjection, payoutsProjection], { caller, minPosition: head });
    const walk = new PreviewWalk(this.parts, { caller, terms, maxBalances: this.maxBalances });
    const totals = new PreviewTotals();
    await throttledReads.run(caller, async () => {
      for await (const rows of throttledReads.batches(walk.rows(begin)))
        for (const row of rows) totals.add(row);
    });
    const position = requirePosition(head);
    const { until } = terms;
    const preview = {
      object: 'payout_run_preview',
      until,
      totals: totals.rows(),
      position,
    } as const;
    return { preview, next: walk.next, position };
  }
}
