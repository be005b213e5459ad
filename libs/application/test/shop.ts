import { newId, streams, type AffiliateId, type ConversionId } from '@refledger/contracts';
import type {
  AffiliateStatus,
  NewProgram,
  ReportedSale,
  StreamName,
  UpdateProgram,
} from '@refledger/contracts';
import {
  conversionDecider,
  firstAccountId,
  programDecider,
  type ConversionState,
} from '@refledger/domain';
import { plainAffiliateDecider } from '@refledger/domain/testing';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { eventsOf } from '@refledger/event-log/conformance';
import { newContext } from '../src/command-context.js';
import { CommandHandler } from '../src/command-handler.js';
import { ConversionCommands } from '../src/conversions/conversion-commands.js';
import { customerStream } from '../src/conversions/first-sales.js';

const context = () => newContext({ accountId: firstAccountId, actor: 'test', requestId: 'r' });
type RecordedState = Extract<ConversionState, { kind: 'recorded' }>;

/** A shop with one program and one affiliate, on any log. */
export class Shop {
  readonly program_id = 'prog_spring' as const;
  readonly affiliate_id: AffiliateId = newId('affiliate');

  constructor(readonly log: EventLog) {}

  async open(program: Partial<NewProgram>): Promise<void> {
    const { program_id, affiliate_id } = this;
    const commands = new CommandHandler(this.log);
    await commands.run({
      stream: streams.program(firstAccountId, program_id),
      decider: programDecider,
      context: context(),
      command: {
        type: 'create',
        program_id,
        program: { name: 'Spring', ...program },
        isIdChosen: true,
      },
    });
    const ada = { email: 'ada@example.com', name: 'Ada', metadata: {} };
    await commands.run({
      stream: streams.affiliate(affiliate_id),
      decider: plainAffiliateDecider,
      context: context(),
      command: { type: 'create', affiliate_id, program_id, approval: 'automatic', ...ada },
    });
  }

  async setAffiliate(status: Exclude<AffiliateStatus, 'pending'>): Promise<void> {
    const { affiliate_id } = this;
    await new CommandHandler(this.log).run({
      stream: streams.affiliate(affiliate_id),
      decider: plainAffiliateDecider,
      context: context(),
      command: { type: 'update', affiliate_id, patch: { status } },
    });
  }

  async changeProgram(patch: UpdateProgram): Promise<void> {
    const { program_id } = this;
    await new CommandHandler(this.log).run({
      stream: streams.program(firstAccountId, program_id),
      decider: programDecider,
      context: context(),
      command: { type: 'update', program_id, patch },
    });
  }

  /** Records a sale as a separate gateway would. */
  sell(
    id: ConversionId,
    customer_id: string,
    { on = this.log, ...sale }: Partial<ReportedSale> & { readonly on?: EventLog } = {},
  ) {
    const { affiliate_id } = this;
    return new ConversionCommands(new CommandHandler(on)).record(
      id,
      { affiliate_id, sale_amount: 10_000, sale_currency: 'USD', customer_id, ...sale },
      context(),
    );
  }

  reject(conversion_id: ConversionId) {
    return new CommandHandler(this.log).run({
      stream: streams.conversion(conversion_id),
      decider: conversionDecider,
      context: context(),
      command: {
        type: 'update',
        conversion_id,
        patch: { status: 'rejected' },
        inForce: null,
      },
    });
  }

  /** The conversions with these ids that were recorded for a customer. */
  async salesTo(customer: string, ids: readonly ConversionId[]): Promise<RecordedState[]> {
    const sales: RecordedState[] = [];
    for (const id of ids) {
      const { state } = await new CommandHandler(this.log).load(
        conversionDecider,
        streams.conversion(id),
      );
      if (state.kind === 'recorded' && state.record.customer_id === customer) sales.push(state);
    }
    return sales;
  }

  customer(id: string): StreamName {
    return customerStream(firstAccountId, this.affiliate_id, id);
  }

  events(stream: StreamName): Promise<LoggedEvent[]> {
    return eventsOf(this.log.readStream(stream));
  }
}
