import { DomainError, streams, type ConversionId } from '@refledger/contracts';
import { CommandHandler, newContext } from '@refledger/application';
import { conversionDecider, type ConversionCommand } from '@refledger/domain';
import {
  isEventLogError,
  UnreadableEvent,
  type EventLog,
  type ProcessorLogger,
} from '@refledger/event-log';
import { ledgerName } from '../ledger-name.js';
import type { PaidLines } from './paid-lines.js';
import type { PaidLine } from './paid-line-pages.js';

export interface PaidStatusWriterParts {
  readonly log: EventLog;
  readonly logger: ProcessorLogger;
  readonly lines: Pick<PaidLines, 'ofConversion'>;
  readonly now: () => number;
  readonly onSkipped: () => void;
}

/** Records on each conversion which payout paid it. */
export class PaidStatusWriter {
  constructor(private readonly parts: PaidStatusWriterParts) {}

  /** Writes to the conversions of a page, side by side. If one fails, waits for the others. */
  async write(page: readonly PaidLine[]): Promise<void> {
    const { log, now } = this.parts;
    // each conversion is met once, so nothing is worth caching beyond a page
    const commands = new CommandHandler(log, { now });
    const results = await Promise.allSettled(page.map((line) => this.follow(line, commands)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  private async follow(line: PaidLine, commands: CommandHandler): Promise<void> {
    const { conversion_id } = line.commission;
    if (conversion_id === null) return;
    const command = await this.commandOf(line, conversion_id);
    if (command === undefined) return;
    const { accountId } = line.step;
    try {
      await commands.run({
        stream: streams.conversion(conversion_id),
        decider: conversionDecider,
        command,
        context: newContext({ accountId, actor: ledgerName, requestId: ledgerName }),
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.skip(line, error);
    }
  }

  /**
   * The command for the conversion of a line; undefined if its lines add up to nothing, or if an
   * earlier line already gave the command.
   */
  private async commandOf(
    { step, held, commission }: PaidLine,
    conversion_id: ConversionId,
  ): Promise<ConversionCommand | undefined> {
    const { payout_id, payout_number, accountId } = step;
    if (step.type === 'unpay') return { type: 'unpay', conversion_id, payout_id };
    const lines = await this.parts.lines.ofConversion(accountId, conversion_id, held);
    const first = lines.find(({ kind }) => kind === 'commission');
    const amount = lines.reduce((sum, line) => sum + line.amount, 0);
    if (first?.number !== commission.number || amount <= 0) return undefined;
    return { type: 'pay', conversion_id, part: { payout_id, payout_number, amount } };
  }

  private skip({ step, commission }: PaidLine, error: unknown): void {
    const { conversion_id } = commission;
    const { payout_id } = step;
    this.parts.logger.warn(
      { conversion_id, payout_id, err: error },
      `skipped conversion ${conversion_id}: could not record the outcome of payout ${payout_id}`,
    );
    this.parts.onSkipped();
  }
}

/** Whether the conversion, rather than the log, is the reason: it would refuse forever. */
const isRefusal = (error: unknown): boolean =>
  error instanceof UnreadableEvent ||
  isEventLogError(error, 'too_large') ||
  (error instanceof DomainError && error.code !== 'unavailable');
