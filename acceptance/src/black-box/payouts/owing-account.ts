import {
  type Adjustment,
  type Affiliate,
  type ApiClient,
  type ApiResponse,
  type Balance,
  type Entry,
  expectStatus,
  type Page,
  type Payout,
  type Program,
  type RequestOptions,
  type Service,
  TestAccount,
} from '@refledger/testing';

type Query = Readonly<Record<string, string | number>>;

/** An account with one program, whose affiliates are owed money and get payouts. */
export class OwingAccount {
  private constructor(
    readonly account: TestAccount,
    readonly program: Program,
  ) {}

  /** Opens an account; `over` overrides fields of the program. */
  static async open(service: Service, over: object = {}): Promise<OwingAccount> {
    const account = await TestAccount.open(service);
    const terms = { type: 'percentage', rate_bps: 2_000, hold_days: 30 };
    return new OwingAccount(account, await account.program({ terms, ...over }));
  }

  get api(): ApiClient {
    return this.account.api;
  }

  /** Registers an affiliate that can be paid. */
  async payee(): Promise<Affiliate> {
    const affiliate = await this.account.affiliate({ program_id: this.program.id });
    return this.account.update(affiliate, { status: 'approved' });
  }

  /** Adds an amount that an affiliate is owed, from today on unless `over` names another day. */
  owe(affiliate: Affiliate, amount: number, over: object = {}): Promise<Adjustment> {
    return this.account.adjustment(affiliate.id, { amount, ...over });
  }

  /** Registers an affiliate that is owed an amount from today on. */
  async owed(amount: number): Promise<Affiliate> {
    const affiliate = await this.payee();
    await this.owe(affiliate, amount);
    return affiliate;
  }

  /** Requests a payout. */
  pay(
    { id: affiliate_id }: Pick<Affiliate, 'id'>,
    over: object = {},
    options: RequestOptions = {},
  ): Promise<ApiResponse<Payout>> {
    return this.api.post('/v1/payouts', { affiliate_id, currency: 'USD', ...over }, options);
  }

  /** Makes a payout. */
  async paid(affiliate: Pick<Affiliate, 'id'>, over: object = {}): Promise<Payout> {
    return expectStatus(201, await this.pay(affiliate, over));
  }

  async payout(id: string): Promise<Payout> {
    return expectStatus(200, await this.api.get<Payout>(`/v1/payouts/${id}`));
  }

  /** Returns the balance of an affiliate that has only one. */
  async balance({ id }: Pick<Affiliate, 'id'>): Promise<Balance> {
    const query = { affiliate_id: id };
    const { data } = expectStatus(
      200,
      await this.api.get<Page<Balance>>('/v1/balances', { query }),
    );
    if (data[0] === undefined || data.length > 1)
      throw new Error(`affiliate ${id} has ${data.length} balances`);
    return data[0];
  }

  /** Returns the lines of a payout. */
  lines({ id }: Pick<Payout, 'id'>, query: Query = {}): Promise<Entry[]> {
    return this.account.all(`/v1/payouts/${id}/entries`, query);
  }

  /** Returns all entries of an affiliate, in the order in which they were posted. */
  entries({ id }: Pick<Affiliate, 'id'>): Promise<Entry[]> {
    return this.account.all('/v1/entries', { affiliate_id: id, sort: 'position' });
  }
}

/** Options of a request with an `Idempotency-Key`. */
export const keyed = (key: string): RequestOptions => ({ headers: { 'idempotency-key': key } });
