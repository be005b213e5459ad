import type { Readable } from 'node:stream';
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
import {
  type MoneyReads,
  partOf,
  type PartOfRun,
  payoutsOfPart,
  recordReader,
} from '@refledger/queries';
import type { Exports } from '../../exports/exports.js';
import type { ApiResponse, Call } from '../../http/request/call.js';
import { positionHeader } from '../../records.js';
import { checkedText, checkRows } from './check-rows.js';
import { Payees } from './payees.js';
import { paypal } from './paypal.js';
import { textOf, type PayoutTemplate, type RowOrGone } from './payout-template.js';
import { reviewCsv } from './review-csv.js';

export interface RunFilesParts {
  readonly money: Pick<MoneyReads, 'settle' | 'get' | 'find'>;
  readonly commands: CommandHandler;
  readonly consistency: Pick<Consistency, 'readHead'>;
  readonly pacedReads: Pick<PacedReads, 'run' | 'batches'>;
  readonly exports: Pick<Exports, 'send' | 'sendGathered'>;
}

/** The formats of a file with the payouts of a run. Each has a source file of its own. */
const templates: Readonly<Record<PayoutFileFormat, PayoutTemplate>> = { csv: reviewCsv, paypal };

/** Files with the payouts of a run. A file changes nothing. */
export class RunFiles {
  constructor(private readonly parts: RunFilesParts) {}

  /**
   * Sends a part of the payouts of a run. Throws `currency_not_supported` if the provider does not
   * pay in its currency, and `payee_unusable` or `payee_changed` with the payouts that are in its
   * way.
   */
  async file(call: Call<'getPayoutRunFile'>): Promise<ApiResponse> {
    const { query } = call;
    const template = templates[query.format];
    const { run, position } = await this.settled(call);
    const part = partOf(run, { ...query, rowsPerPart: template.rowsPerPart });
    requirePaid(part.currency, query.format);
    const file = {
      call,
      run,
      template,
      acceptChanged: query.accept_changed_payees === 'true',
      rows: () => this.rows(call, template, part),
    };
    const name = `payouts-${run.id}-${part.currency ?? 'none'}-${part.part}.csv`;
    return {
      status: 200,
      csv: await (template.forProvider ? this.gathered(file) : this.streamed(file)),
      headers: {
        ...positionHeader(position),
        'refledger-parts': String(part.parts),
        'content-disposition': `attachment; filename="${name}"`,
      },
    };
  }

  /**
   * A file that sends money: what is checked is what is written. All of it is read, once, before
   * the first byte is sent, and nothing has changed the whole run meanwhile.
   */
  private gathered(file: RunFile): Promise<Readable> {
    const { pacedReads, exports } = this.parts;
    const { caller } = file.call;
    return exports.sendGathered(caller, async () => {
      const text = await pacedReads.run(caller, () =>
        checkedText(pacedReads.batches(file.rows()), file),
      );
      if (text === '') throw nothingToSend(file.run.id);
      requireNoMarkSince(file.run, await this.run(file.call));
      return text;
    });
  }

  /** A file for review, of any size. Goes through all rows first, so that it rarely ends early. */
  private async streamed(file: RunFile): Promise<Readable> {
    const { pacedReads, exports } = this.parts;
    const { caller } = file.call;
    await pacedReads.run(caller, () => checkRows(pacedReads.batches(file.rows()), file));
    return exports.send(caller, textOf(file.template, pacedReads.batches(file.rows())));
  }

  /** The run as its stream has it now. */
  private async run({ caller, id }: Call<'getPayoutRunFile'>): Promise<PayoutRunRecord> {
    const loaded = await this.parts.commands.load(payoutRunDecider, streams.payout_run(id));
    return recordOf(id, loaded, caller.accountId);
  }

  /** Waits until the read models reach what is now the end of the log, and returns the run. */
  private async settled(call: Call<'getPayoutRunFile'>): Promise<SettledRun> {
    const { caller, id } = call;
    const { money, consistency } = this.parts;
    const run = await this.run(call);
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

  private async *rows(
    { caller, id }: Call<'getPayoutRunFile'>,
    { statuses }: PayoutTemplate,
    { currency, skipped, size }: PartOfRun,
  ): AsyncGenerator<readonly RowOrGone[]> {
    if (currency === undefined) return;
    const { money, commands } = this.parts;
    const payees = new Payees(money, commands, caller.accountId);
    for await (const page of payoutsOfPart(money, { run_id: id, currency, skipped, size })) {
      const rows = await Promise.all(page.map((payout) => payees.rowOf(payout.id, statuses)));
      yield rows.flatMap((row) => row ?? []);
    }
  }
}

interface SettledRun {
  readonly run: FileRun;
  readonly position: Position | undefined;
}

/** The run of a file, as it was when the file was asked for. */
type FileRun = Pick<PayoutRunDocument, 'totals'> & Pick<PayoutRunRecord, 'id' | 'marks'>;

/** A part of the payouts of a run that is to be sent. */
interface RunFile {
  readonly call: Call<'getPayoutRunFile'>;
  readonly run: FileRun;
  readonly template: PayoutTemplate;
  readonly acceptChanged: boolean;
  /** Reads its rows, as they are now. */
  readonly rows: () => AsyncIterable<readonly RowOrGone[]>;
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

/** Throws `currency_not_supported` if a file of this format cannot pay in a currency. */
const requirePaid = (currency: string | undefined, format: PayoutFileFormat): void => {
  if (currency === undefined || templates[format].pays(currency)) return;
  throw new DomainError(
    'currency_not_supported',
    `A file with format=${format} cannot pay in ${currency}, because its provider does not. Download format=csv, and pay these payouts elsewhere.`,
  );
};

/** Throws `invalid_transition` if the run was marked after the file was asked for. */
const requireNoMarkSince = (before: FileRun, now: PayoutRunRecord): void => {
  if (now.marks.length === before.marks.length) return;
  throw new DomainError(
    'invalid_transition',
    `Payout run ${now.id} was marked as ${now.marks.at(-1)?.status} while its file was being made. Look at its payouts, then request the file again if it is still needed.`,
  );
};

const nothingToSend = (run: string): DomainError =>
  new DomainError(
    'invalid_transition',
    `This part of payout run ${run} has no payout that is processing. Mark the run as processing first: nothing in the file can then be canceled.`,
  );
