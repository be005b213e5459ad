import {
  derivedId,
  eventIdOf,
  newCommandId,
  noCommission,
  streams,
  type AccountId,
  type AffiliateFields,
  type AffiliateId,
  type ConversionFields,
  type ConversionId,
  type DomainEvent,
  type EndpointFields,
  type EndpointId,
  type EventMetadata,
  type StreamName,
} from '@refledger/contracts';
import { affiliateEvents, affiliateFields } from '@refledger/domain/testing';
import { encodeEvent, type EventLog, type NewEvent } from '@refledger/event-log';

/** The account of the samples, unless a test names another. */
export const accountId: AccountId = derivedId('account', 'bus suite');
const programId = 'prog_bus';
const aboutAffiliate = (affiliate_id: AffiliateId) =>
  ({ affiliate_id, program_id: programId }) as const;

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
      ...affiliateFields,
      email: 'a@example.com',
      name,
      status: 'pending',
    };
    return this.append(
      streams.affiliate(id),
      affiliateEvents.created(aboutAffiliate(id), after),
      after,
    );
  }

  renameAffiliate(id: AffiliateId, name: string): Promise<string> {
    const before = this.fields.get(streams.affiliate(id)) as AffiliateFields;
    const after = { ...before, name };
    return this.append(
      streams.affiliate(id),
      affiliateEvents.changed('affiliate.updated', aboutAffiliate(id), [before, after]),
      after,
    );
  }

  deleteAffiliate(id: AffiliateId): Promise<string> {
    const before = this.fields.get(streams.affiliate(id)) as AffiliateFields;
    return this.append(
      streams.affiliate(id),
      affiliateEvents.deleted(aboutAffiliate(id), before),
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
      { type: 'conversion.created', data: { ...aboutConversion(id, affiliate), basis, after } },
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

  /** Appends one of Refledger's events that is not public. */
  createAccount(name: string): Promise<string> {
    const account_id = derivedId('account', name);
    return this.append(streams.account(account_id), {
      type: 'account.created',
      data: { account_id, name },
    });
  }

  subscribeEndpoint(id: EndpointId, target_url: string): Promise<string> {
    return this.append(streams.webhooks(this.account), {
      type: 'webhook.subscribed',
      data: { endpoint_id: id, fields: endpointFields(target_url) },
    });
  }

  pauseEndpoint(id: EndpointId, target_url: string): Promise<string> {
    const fields = endpointFields(target_url);
    const before = {
      fields,
      status: 'enabled',
      disabled: null,
      failing_since: null,
      previous: null,
      created_at: startOf2026,
      updated_at: startOf2026,
    } as const;
    return this.append(streams.webhooks(this.account), {
      type: 'webhook.paused',
      data: { endpoint_id: id, before, fields },
    });
  }

  /** Appends a public event that no release can read. */
  async breakAffiliate(id: AffiliateId): Promise<string> {
    const stream = streams.affiliate(id);
    const fields = this.fields.get(stream) as AffiliateFields;
    const good = encodeEvent(
      affiliateEvents.changed('affiliate.updated', aboutAffiliate(id), [fields, fields]),
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

const startOf2026 = '2026-01-01T00:00:00.000Z';

const endpointFields = (target_url: string): EndpointFields => ({
  target_url,
  target_key: target_url,
  events: ['conversion.created'],
  description: 'a shop',
  secret: 'sealed',
  payload: 'full',
  max_per_second: null,
});

const aboutConversion = (conversion_id: ConversionId, affiliate_id: AffiliateId) =>
  ({
    conversion_id,
    affiliate_id,
    program_id: programId,
    sale_currency: 'USD',
    occurred_at: startOf2026,
    payable_on: '2026-01-01',
    external_transaction_id: null,
  }) as const;

const basis = { reported_occurred_at: null, terms: null, first_occurred_at: null };

const metadataNow = (account_id: AccountId): Omit<EventMetadata, 'schema'> => ({
  account_id,
  actor: 'suite',
  request_id: 'suite',
  recorded_at: new Date().toISOString(),
});
