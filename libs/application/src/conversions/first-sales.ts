import {
  streams,
  type AccountId,
  type AffiliateId,
  type ConversionEvent,
  type ConversionId,
  type CustomerEvent,
  type StreamName,
} from '@refledger/contracts';
import {
  customerDecider,
  customerHash,
  type Customer,
  type ConversionState,
} from '@refledger/domain';
import type { AppendResult } from '@refledger/event-log';
import { claimedAppend } from '../claims/claimed-append.js';
import { Claims } from '../claims/claims.js';
import type { AccountContext } from '../command-context.js';
import type { CommandHandler, Decision } from '../command-handler.js';

/** Makes exactly one sale to a customer an affiliate's first, through a claim. */
export class FirstSales {
  private readonly claims: Claims<Customer, CustomerEvent>;

  constructor(private readonly commands: CommandHandler) {
    this.claims = new Claims(commands, customerDecider);
  }

  /** The first sale; undefined if there is none. Finishes its append if necessary. */
  async find(
    account: AccountId,
    affiliate: AffiliateId,
    customerId: string,
  ): Promise<Customer | undefined> {
    const { claim, appended } = await this.claims.loadAndComplete(
      customerStream(account, affiliate, customerId),
    );
    return claim.state.kind === 'taken' && appended !== undefined ? claim.state.data : undefined;
  }

  /**
   * Appends a new conversion, through the claim if it was decided to be its customer's first.
   * Undefined when the command must decide again: another sale came first, or the conversion was
   * recorded by another request.
   */
  append(
    id: ConversionId,
    {
      events: [created],
      newEvents,
      loaded: { revision },
      attempt,
    }: Decision<ConversionState, ConversionEvent>,
    context: AccountContext,
  ): Promise<AppendResult | undefined> {
    const own = streams.conversion(id);
    const first = firstSaleIn(created);
    if (first === undefined) return this.commands.appendAt(own, newEvents, revision);
    const { customer_id, ...referred } = first;
    return this.claims.take({
      stream: customerStream(context.accountId, first.affiliate_id, customer_id),
      data: { ...referred, append: claimedAppend(own, newEvents, revision) },
      context,
      attempt,
      judge: (_claim, appended) => (appended === undefined ? 'replace' : 'decide again'),
    });
  }
}

/** The stream that says which sale to a customer was an affiliate's first. */
export const customerStream = (
  account_id: AccountId,
  affiliate_id: AffiliateId,
  customer_id: string,
): StreamName => streams.customer(customerHash({ account_id, affiliate_id, customer_id }));

/** The sale that an event records as its customer's first. */
const firstSaleIn = (
  event: ConversionEvent | undefined,
): (Omit<Customer, 'append'> & { readonly customer_id: string }) | undefined => {
  if (event?.type !== 'conversion.created') return undefined;
  const { conversion_id, affiliate_id, customer_id, occurred_at, basis } = event.data;
  return customer_id === null || basis.first_occurred_at !== null
    ? undefined
    : { conversion_id, affiliate_id, customer_id, occurred_at };
};
