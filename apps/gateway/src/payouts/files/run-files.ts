import type { Readable } from 'node:stream';
import { DomainError, type PayoutFileFormat } from '@refledger/contracts';
import type { ThrottledReads } from '@refledger/application';
import { partOf, type RowOrMissing, type RunPayouts, type SettledRun } from '@refledger/queries';
import type { Exports } from '../../exports/exports.js';
import type { ApiResponse, Call } from '../../http/request/call.js';
import { csvResponse } from '../../http/responses.js';
import { checkedText, checkRows } from './check-rows.js';
import { paypal } from './paypal.js';
import { textOf, type PayoutTemplate } from './payout-template.js';
import { reviewCsv } from './review-csv.js';

export interface RunFilesParts {
  readonly payouts: Pick<RunPayouts, 'settled' | 'rows' | 'requireNoMarkSince'>;
  readonly throttledReads: Pick<ThrottledReads, 'run' | 'batches'>;
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
    const { caller, query } = call;
    const { payouts } = this.parts;
    const template = templates[query.format];
    const { run, position } = await payouts.settled(caller, call.id);
    const part = partOf(run, { ...query, rowsPerPart: template.rowsPerPart });
    requirePaid(part.currency, query.format);
    const file = {
      call,
      run,
      template,
      acceptChanged: query.accept_changed_payees === 'true',
      rows: () => payouts.rows(caller, run.id, part, template.statuses),
    };
    const name = `payouts-${run.id}-${part.currency ?? 'none'}-${part.part}`;
    const csv = await (template.forProvider ? this.gathered(file) : this.streamed(file));
    const response = csvResponse(csv, name, position);
    return { ...response, headers: { ...response.headers, 'refledger-parts': String(part.parts) } };
  }

  /**
   * A file that sends money: what is checked is what is written. All of it is read, once, before
   * the first byte is sent, and nothing has changed the whole run meanwhile.
   */
  private gathered(file: RunFile): Promise<Readable> {
    const { throttledReads, exports, payouts } = this.parts;
    const { caller } = file.call;
    return exports.sendGathered(caller, async () => {
      const text = await throttledReads.run(caller, () =>
        checkedText(throttledReads.batches(file.rows()), file),
      );
      if (text === '') throw nothingToSend(file.run.id);
      await payouts.requireNoMarkSince(caller, file.run);
      return text;
    });
  }

  /** A file for review, of any size. Goes through all rows first, so that it rarely ends early. */
  private async streamed(file: RunFile): Promise<Readable> {
    const { throttledReads, exports } = this.parts;
    const { caller } = file.call;
    await throttledReads.run(caller, () => checkRows(throttledReads.batches(file.rows()), file));
    return exports.send(caller, textOf(file.template, throttledReads.batches(file.rows())));
  }
}

/** A part of the payouts of a run that is to be sent. */
interface RunFile {
  readonly call: Call<'getPayoutRunFile'>;
  readonly run: SettledRun;
  readonly template: PayoutTemplate;
  readonly acceptChanged: boolean;
  /** Reads its rows, as they are now. */
  readonly rows: () => AsyncIterable<readonly RowOrMissing[]>;
}

/** Throws `currency_not_supported` if a file of this format cannot pay in a currency. */
const requirePaid = (currency: string | undefined, format: PayoutFileFormat): void => {
  if (currency === undefined || templates[format].pays(currency)) return;
  throw new DomainError(
    'currency_not_supported',
    `A file with format=${format} cannot pay in ${currency}, because its provider does not. Download format=csv, and pay these payouts elsewhere.`,
  );
};

const nothingToSend = (run: string): DomainError =>
  new DomainError(
    'invalid_transition',
    `This part of payout run ${run} has no payout that is processing. Mark the run as processing first: nothing in the file can then be canceled.`,
  );
