import { setImmediate } from 'node:timers/promises';
import {
  DomainError,
  streams,
  type AccountId,
  type NewPayoutRun,
  type PayoutRunEvent,
  type Position,
  type ProgramId,
  type RunId,
} from '@refledger/contracts';
import {
  affiliateNotFound,
  payoutRunDecider,
  programDecider,
  type PayoutRunCommand,
  type PayoutRunState,
} from '@refledger/domain';
import { affiliateOf } from '../affiliates/affiliate-of.js';
import type { AccountContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';
import type { Outcome } from '../outcome.js';

/** Starts the payout runs of an account. The ledger carries them out. */
export class PayoutRunCommands {
  constructor(private readonly commands: CommandHandler) {}

  /**
   * Starts the run with this id, or finds that it was started before. `position` is the end of the
   * log: the run takes into account every event up to there.
   */
  start(
    run_id: RunId,
    { run, position }: { readonly run: NewPayoutRun; readonly position: Position },
    context: AccountContext,
  ): Promise<Outcome<PayoutRunState, PayoutRunEvent>> {
    return this.commands.run({
      stream: streams.payout_run(run_id),
      decider: payoutRunDecider,
      context,
      command: async (existing, recordedAt): Promise<PayoutRunCommand> => {
        // a repeated request is compared before any rule about its program and affiliates applies
        if (existing.kind === 'none') await this.requireNamed(run, context.accountId);
        return { type: 'start', run_id, run, position, recordedAt };
      },
    });
  }

  /**
   * Throws `program_not_found` or `affiliate_not_found` for an id that the account does not have.
   */
  async requireNamed(run: NewPayoutRun, account: AccountId): Promise<void> {
    if (run.program_id !== undefined) await this.requireProgram(run.program_id, account);
    for (const [index, id] of [...new Set(run.affiliate_ids)].entries()) {
      if (index % readsPerTurn === readsPerTurn - 1) await setImmediate();
      const { kind } = await affiliateOf(this.commands, account, id);
      if (kind === 'none') throw affiliateNotFound(id);
    }
  }

  private async requireProgram(id: ProgramId, account: AccountId): Promise<void> {
    const { state } = await this.commands.load(programDecider, streams.program(account, id));
    if (state.kind === 'present') return;
    throw new DomainError(
      'program_not_found',
      `There is no program ${JSON.stringify(id)}. Create it with POST /v1/programs, or leave program_id out.`,
    );
  }
}

/** How many streams one request reads before other requests get their turn. */
const readsPerTurn = 50;
