import {
  DomainError,
  streams,
  type PayoutFileFormat,
  type PayoutRunRecord,
  type Position,
} from '@refledger/contracts';
import type { CommandHandler, Consistency, PacedReads } from '@refledger/application';
import { payoutRunDecider, payoutRunRecord } from '@refledger/domain';
import {
  payoutRunsProjection,
  payoutsProjection,
  type PayoutRunDocument,
} from '@refledger/projections';
import type { MoneyReads } from '../../balances/money-reads.js';
import type { Exports } from '../../exports/exports.js';
import type { ApiResponse, Call } from '../../http/request/call.js';
import { positionHeader, recordReader } from '../../records.js';
import { checkRows } from './check-rows.js';
import { partOf, type PartOfRun } from './part-of-run.js';
import { payoutsOfPart } from './part-payouts.js';
import { Payees } from './payees.js';
import { paypal } from './paypal.js';
import { textOf, type PayoutTemplate, type RowOrGone } from './payout-template.js';
import { reviewCsv } from './review-csv.js';

export interface RunFilesParts {
  readonly money: Pick<MoneyReads, 'settle' | 'get' | 'find'>;
  readonly commands: CommandHandler;
  readonly consistency: Pick<Consistency, 'readHead'>;
  readonly pacedReads: Pick<PacedReads, 'run' | 'batches'>;
  readonly exports: Pick<Exports, 'send'>;
}

/** The formats of a file with the payouts of a run. Each has a source file of its own. */
const templates: Readonly<Record<PayoutFileFormat, PayoutTemplate>> = { csv: reviewCsv, paypal };

/** Files with the payouts of a run. A file changes nothing. */
export class RunFiles {
  constructor(private readonly parts: RunFilesParts) {}

  /**
   * Sends a part of the payouts of a run. First goes through all rows, so that no file ends early:
   * throws `payee_unusable` or `payee_changed` with the payouts that are in its way.
   */
  async file(call: Call<'getPayoutRunFile'>): Promise<ApiResponse> {
    const { caller, query } = call;
    const { pacedReads, exports } = this.parts;
    const template = templates[query.format];
    const { run, position } = await this.settled(call);
    const part = partOf(run, { ...query, rowsPerPart: template.rowsPerPart });
    const rows = () => this.rows(call, template, part);
    const acceptChanged = query.accept_changed_payees === 'true';
    const count = await pacedReads.run(caller, () =>
      checkRows(pacedReads.batches(rows()), template, { acceptChanged }),
    );
    if (count === 0 && template.forProvider) throw nothingToSend(run.id);
    const name = `payouts-${run.id}-${part.currency ?? 'none'}-${part.part}.csv`;
    return {
      status: 200,
      csv: exports.send(caller, textOf(template, pacedReads.batches(rows()))),
      headers: {
        ...positionHeader(position),
        'refledger-parts': String(part.parts),
        'content-disposition': `attachment; filename="${name}"`,
      },
    };
  }

  /** Waits until the read models reach what is now the end of the log, and returns the run. */
  private async settled(call: Call<'getPayoutRunFile'>): Promise<SettledRun> {
    const { caller, id } = call;
    const { money, commands, consistency } = this.parts;
    const loaded = await commands.load(payoutRunDecider, streams.payout_run(id));
    requireDone(recordOf(id, loaded, caller.accountId));
    const head = await consistency.readHead();
    const context = { caller, minPosition: head };
    await money.settle([payoutsProjection, payoutRunsProjection], context);
    const { value } = await money.get(payoutRunsProjection, id);
    if (value === undefined) throw new TypeError(`the read model lacks payout run ${id}`);
    // a decoding boundary: the projection wrote this document
    const { record, totals } = value as PayoutRunDocument;
    return { run: { id: record.id, totals }, position: head };
  }

  private async *rows(
    { caller, id }: Call<'getPayoutRunFile'>,
    { statuses }: PayoutTemplate,
    { currency, skipped, size }: PartOfRun,
  ): AsyncGenerator<readonly RowOrGone[]> {
    if (currency === undefined) return;
    const { money, commands } = this.parts;
    const payees = new Payees(money, commands, caller.accountId);
    for await (const page of payoutsOfPart(money, { run_id: id, currency, skipped, size })) {
      const wanted = page.filter(({ status }) => statuses.includes(status));
      yield await Promise.all(
        wanted.map(async (payout) => (await payees.rowOf(payout)) ?? { gone: payout.id }),
      );
    }
  }
}

interface SettledRun {
  readonly run: Pick<PayoutRunDocument, 'totals'> & Pick<PayoutRunRecord, 'id'>;
  readonly position: Position | undefined;
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

const nothingToSend = (run: string): DomainError =>
  new DomainError(
    'invalid_transition',
    `This part of payout run ${run} has no payout that is processing. Mark the run as processing first: nothing in the file can then be canceled.`,
  );
