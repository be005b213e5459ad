import {
  DomainError,
  streams,
  type PayoutRunRecord,
  type PayoutStatus,
  type Position,
  type RunId,
} from '@refledger/contracts';
import type { CommandHandler, Consistency, Reader } from '@refledger/application';
import type { PersonalData } from '@refledger/personal-data';
import { payoutRunDecider, payoutRunRecord } from '@refledger/domain';
import {
  payoutRunsProjection,
  payoutsProjection,
  type PayoutRunDocument,
} from '@refledger/projections';
import { payoutsOfPart } from './part-payouts.js';
import { recordReader } from '../../own-record.js';
import type { MoneyReads } from '../../money-reads.js';
import type { PartOfRun } from './part-of-run.js';
import { openRows, Payees, type RowOrMissing } from './payees.js';

export interface RunPayoutsParts {
  readonly money: Pick<MoneyReads, 'settle' | 'get' | 'find'>;
  readonly commands: CommandHandler;
  readonly consistency: Pick<Consistency, 'readHead'>;
  readonly personalData: Pick<PersonalData, 'openAffiliates'>;
}

/** A finished run, as it was when its payouts were asked for. */
export type SettledRun = Pick<PayoutRunDocument, 'totals'> & Pick<PayoutRunRecord, 'id' | 'marks'>;

/** Reads the payouts of runs, and to whom they are paid. */
export class RunPayouts {
  constructor(private readonly parts: RunPayoutsParts) {}

  /**
   * Waits until the read models reach what is now the end of the log, and returns the run. Throws
   * `not_found` if the caller has no such run, and `invalid_transition` while it, or a mark of it,
   * is in progress.
   */
  async settled(
    caller: Reader,
    id: RunId,
  ): Promise<{ readonly run: SettledRun; readonly position: Position | undefined }> {
    const { money, consistency } = this.parts;
    const run = await this.run(caller, id);
    requireDone(run);
    const head = await consistency.readHead();
    const context = { caller, minPosition: head };
    await money.settle([payoutsProjection, payoutRunsProjection], context);
    const { value } = await money.get(payoutRunsProjection, id);
    if (value === undefined) throw new TypeError(`the read model lacks payout run ${id}`);
    // a decoding boundary: the projection wrote this document
    const { totals } = value as PayoutRunDocument;
    return { run: { id: run.id, marks: run.marks, totals }, position: head };
  }

  /** Yields the rows of a part of a run, with the payouts that have one of these statuses now. */
  async *rows(
    { accountId }: Reader,
    run_id: RunId,
    { currency, skipped, size }: PartOfRun,
    statuses: readonly PayoutStatus[],
  ): AsyncGenerator<readonly RowOrMissing[]> {
    if (currency === undefined) return;
    const { money, commands, personalData } = this.parts;
    const payees = new Payees(money, commands, accountId);
    for await (const page of payoutsOfPart(money, { run_id, currency, skipped, size })) {
      const rows = await Promise.all(page.map((payout) => payees.rowOf(payout.id, statuses)));
      yield openRows(
        personalData,
        rows.filter((row) => row !== undefined),
      );
    }
  }

  /** Throws `invalid_transition` if the run has been marked since. */
  async requireNoMarkSince(caller: Reader, before: SettledRun): Promise<void> {
    const now = await this.run(caller, before.id);
    if (now.marks.length === before.marks.length) return;
    throw new DomainError(
      'invalid_transition',
      `Payout run ${now.id} was marked as ${now.marks.at(-1)?.status} while its file was being made. Look at its payouts, then request the file again if it is still needed.`,
    );
  }

  /** The run as its stream has it now. */
  private async run({ accountId }: Reader, id: RunId): Promise<PayoutRunRecord> {
    const loaded = await this.parts.commands.load(payoutRunDecider, streams.payout_run(id));
    return recordOf(id, loaded, accountId);
  }
}

const recordOf = recordReader('payout run', payoutRunRecord);

/** Throws `invalid_transition` while a run, or a mark of it, is in progress. */
const requireDone = ({ id, status, marks }: PayoutRunRecord): void => {
  if (status === 'finished' && marks.every(({ applied_at }) => applied_at !== null)) return;
  throw new DomainError(
    'invalid_transition',
    `Payout run ${id} is running, or a mark is being applied to its payouts. Wait until it is finished and every mark has applied_at.`,
  );
};
