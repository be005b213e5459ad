import {
  DomainError,
  streams,
  type AccountId,
  type LogId,
  type PayoutId,
  type PayoutRecord,
  type RunId,
} from '@refledger/contracts';
import { newContext, type CommandHandler, type Throttle } from '@refledger/application';
import { payoutDecider, type Mark } from '@refledger/domain';
import { payoutsProjection } from '@refledger/projections';
import type { ProjectionSpec, ReadStore } from '@refledger/read-store';
import { ledgerName } from '../ledger-name.js';
import { runPageSize } from './run-balances.js';

interface MarkParts {
  readonly store: Pick<ReadStore, 'find'>;
  readonly log: { readonly id: LogId };
  readonly commands: Pick<CommandHandler, 'run'>;
  readonly throttle: Throttle;
  readonly run_id: RunId;
  readonly accountId: AccountId;
  /** Resolves once a projection shows what is now the end of the log. */
  readonly shownAtHead: (projection: ProjectionSpec) => Promise<void>;
}

/** A mark, and its number among those of its run, from 1. */
interface NumberedMark extends Mark {
  readonly number: number;
}

/** How many payouts a mark changed, and how many could not get its status. */
export interface MarkCounts {
  readonly changed: number;
  readonly left: number;
}

/**
 * Applies a mark to every payout of a run by the ordinary command. A payout's event names the mark,
 * so the counts are the same when an earlier worker has done part of the work.
 */
export const markPayouts = async (
  parts: MarkParts,
  mark: NumberedMark,
  signal: AbortSignal,
): Promise<MarkCounts> => {
  await parts.shownAtHead(payoutsProjection);
  let counts: MarkCounts = { changed: 0, left: 0 };
  for await (const page of payoutsOf(parts)) {
    signal.throwIfAborted();
    const results = await parts.throttle.step(() =>
      Promise.allSettled(page.map(({ id }) => isChanged(parts, mark, id))),
    );
    for (const result of results) {
      if (result.status === 'rejected') throw result.reason;
      counts = result.value
        ? { ...counts, changed: counts.changed + 1 }
        : { ...counts, left: counts.left + 1 };
    }
  }
  return counts;
};

/** Gives a payout the status of a mark. False if it cannot get it. */
const isChanged = async (
  { commands, run_id, accountId }: MarkParts,
  { status, reason, completed_at, number }: NumberedMark,
  payout_id: PayoutId,
): Promise<boolean> => {
  const patch = {
    status,
    ...(reason !== null && { reason }),
    ...(completed_at !== null && { completed_at }),
  };
  try {
    const { state } = await commands.run({
      stream: streams.payout(payout_id),
      decider: payoutDecider,
      context: newContext({ accountId, actor: ledgerName, requestId: run_id }),
      command: (before, recordedAt) => {
        // an earlier worker has changed it: it may have become something else since
        const isDone = before.kind === 'present' && before.marks.includes(number);
        return { payout_id, recordedAt, mark: number, patch: isDone ? {} : patch };
      },
    });
    return state.kind === 'present' && state.marks.includes(number);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'invalid_transition') return false;
    throw error;
  }
};

async function* payoutsOf({
  store,
  log,
  run_id,
  accountId,
}: MarkParts): AsyncGenerator<readonly PayoutRecord[]> {
  let after: PayoutRecord | undefined;
  do {
    const { value } = await store.find(payoutsProjection, log.id, 'payouts', {
      where: [
        { field: 'account_id', equals: accountId },
        { field: 'run_id', equals: run_id },
      ],
      order: { fields: ['created_at', 'id'], descending: false },
      ...(after !== undefined && { after: [after.created_at, after.id] }),
      limit: runPageSize,
    });
    // a decoding boundary: the projection wrote the records that its documents hold
    const page = value.map(({ record }) => record as PayoutRecord);
    if (page.length > 0) yield page;
    after = page.length === runPageSize ? page.at(-1) : undefined;
  } while (after !== undefined);
}
