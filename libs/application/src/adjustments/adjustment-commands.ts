import {
  streams,
  type AdjustmentEvent,
  type AdjustmentId,
  type NewAdjustment,
} from '@refledger/contracts';
import {
  adjustmentDecider,
  affiliateDecider,
  type AdjustmentCommand,
  type AdjustmentState,
} from '@refledger/domain';
import { affiliateOf } from '../affiliates/affiliate-of.js';
import type { AccountContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';
import type { Outcome } from '../outcome.js';

/** Creates adjustments for the affiliates of an account. */
export class AdjustmentCommands {
  constructor(private readonly commands: CommandHandler) {}

  /** Creates the adjustment with this id, or finds that it was created before. */
  create(
    adjustment_id: AdjustmentId,
    adjustment: NewAdjustment,
    context: AccountContext,
  ): Promise<Outcome<AdjustmentState, AdjustmentEvent>> {
    return this.commands.run({
      stream: streams.adjustment(adjustment_id),
      decider: adjustmentDecider,
      context,
      command: async (existing, recordedAt): Promise<AdjustmentCommand> => ({
        type: 'create',
        adjustment_id,
        // a repeated request is compared before any rule about its affiliate applies
        affiliate:
          existing.kind === 'none'
            ? await affiliateOf(this.commands, context.accountId, adjustment.affiliate_id)
            : affiliateDecider.initial,
        adjustment,
        recordedAt,
      }),
      isLikelyNew: true,
    });
  }
}
