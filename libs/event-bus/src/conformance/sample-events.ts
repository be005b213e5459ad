import {
  derivedId,
  eventIdOf,
  newCommandId,
  noAffiliateMoney,
  noCommission,
  streams,
  type AccountId,
  type AffiliateFields,
  type AffiliateId,
  type ConversionFields,
  type ConversionId,
  type DomainEvent,
  type EventMetadata,
  type ProgramFields,
  type StreamName,
} from '@refledger/contracts';
import { encodeEvent, type EventLog, type NewEvent } from '@refledger/event-log';

/** The account of the samples, unless a test names another. */
export const accountId: AccountId = derivedId('account', 'bus suite');
const programId = 'prog_bus';

/** Appends the events of affiliates, conversions and programs to a log, one event after another. */
export class EventWriter {
  private readonly revisions = new Map<StreamName, number>();
  private readonly fields = new Map<StreamName, AffiliateFields | ConversionFields>();

  constructor(
    private readonly log: EventLog,
    private readonly account: AccountId = accountId,
  ) {}

  createAffiliate(id: AffiliateId, name = 'first'): Promise<string> {
    const after: AffiliateFields = {
      email: 'a@example.com',
      name,
      status: 'pending',
      ...noAffiliateMoney,
      reason: null,
      metadata: {},
    };
    return this.append(
      streams.affiliate(id),
      { type: 'affiliate.created', data: { affiliate_id: id, program_id: programId, after } },
      after,
    );
  }

  renameAffiliate(id: AffiliateId, name: string): Promise<string> {
    const before = this.fields.get(streams.affiliate(id)) as AffiliateFields;
    const after = { ...before, name };
    return this.append(
      streams.affiliate(id),
      {
        type: 'affiliate.updated',
        data: { affiliate_id: id, program_id: programId, before, after },
      },
      after,
    );
  }

  deleteAffiliate(id: AffiliateId): Promise<string> {
    const before = this.fields.get(streams.affiliate(id)) as AffiliateFields;
    return this.append(
      streams.affiliate(id),
      { type: 'affiliate.deleted', data: { affiliate_id: id, program_id: programId, before } },
      before,
    );
  }

  createConversion(id: ConversionId, affiliate: AffiliateId, amount = 100): Promise<string> {
    const after: ConversionFields = {
      status: 'pending',
      sale_amount: amount,
      refunded_amount: 0,
      commission_amount: 0,
      commission: noCommission,
      reason: null,
      metadata: {},
      payout_id: null,
    };
    return this.append(
      streams.conversion(id),
      { type: 'conversion.created', data: { ...aboutConversion(id, affiliate), after } },
      after,
    );
  }

  approveConversion(id: ConversionId, affiliate: AffiliateId): Promise<string> {
    const before = this.fields.get(streams.conversion(id)) as ConversionFields;
    const after: ConversionFields = { ...before, status: 'approved' };
    return this.append(
      streams.conversion(id),
      { type: 'conversion.approved', data: { ...aboutConversion(id, affiliate), before, after } },
      after,
    );
  }

  /** Appends one of Refledger's events that is not public: the first of a program's stream. */
  registerProgram(id: string): Promise<string> {
    return this.append(streams.program(this.account, `prog_${id}`), {
      type: 'program.registered',
      data: { program_id: `prog_${id}` },
    });
  }

  renameProgram(id: string, name: string): Promise<string> {
    const program_id = `prog_${id}` as const;
    const before: ProgramFields = {
      name: program_id,
      status: 'active',
      terms: null,
      terms_version: 0,
      affiliate_approval: 'manual',
      conversion_approval: 'manual',
      minimum_payout: {},
      metadata: {},
    };
    return this.append(streams.program(this.account, program_id), {
      type: 'program.updated',
      data: { program_id, before, after: { ...before, name }, reason: null },
    });
  }

  /** Appends a public event that no release can read. */
  async breakAffiliate(id: AffiliateId): Promise<string> {
    const stream = streams.affiliate(id);
    const good = encodeEvent(
      {
        type: 'affiliate.updated',
        data: {
          affiliate_id: id,
          program_id: programId,
          before: this.fields.get(stream) as AffiliateFields,
          after: this.fields.get(stream) as AffiliateFields,
        },
      },
      eventIdOf(newCommandId(), stream, 0, 0),
      metadataNow(this.account),
    );
    return this.put(stream, { ...good, metadata: { ...good.metadata, schema: 999 } });
  }

  private append(
    stream: StreamName,
    event: DomainEvent,
    after?: AffiliateFields | ConversionFields,
  ): Promise<string> {
    if (after !== undefined) this.fields.set(stream, after);
    return this.put(
      stream,
      encodeEvent(event, eventIdOf(newCommandId(), stream, 0, 0), metadataNow(this.account)),
    );
  }

  private async put(stream: StreamName, event: NewEvent): Promise<string> {
    const { revision } = await this.log.append(
      stream,
      [event],
      this.revisions.get(stream) ?? 'no stream',
    );
    this.revisions.set(stream, revision);
    return event.id;
  }
}

const aboutConversion = (conversion_id: ConversionId, affiliate_id: AffiliateId) =>
  ({
    conversion_id,
    affiliate_id,
    program_id: programId,
    sale_currency: 'USD',
    external_transaction_id: null,
  }) as const;

const metadataNow = (account_id: AccountId): Omit<EventMetadata, 'schema'> => ({
  account_id,
  actor: 'suite',
  request_id: 'suite',
  recorded_at: new Date().toISOString(),
});
