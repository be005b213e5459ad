import { setTimeout as sleep } from 'node:timers/promises';
import {
  expectStatus,
  type Affiliate,
  type ApiResponse,
  type Erasure,
  type Random,
  type TestAccount,
} from '@refledger/testing';
import { present } from '@refledger/testing/present';

/** A request without a response. */
type UnknownRequest =
  | { readonly type: 'create'; readonly body: object; readonly key: string }
  | { readonly type: 'change'; readonly before: Affiliate; readonly name: string }
  | { readonly type: 'erase'; readonly before: Affiliate };

/**
 * Writers that create, change and erase affiliates, and a record of what was acknowledged. Every
 * personal value is one of `word`.
 */
export class ErasingWriters {
  readonly existing = new Map<string, Affiliate>();
  readonly erased = new Set<string>();
  private unknown: UnknownRequest[] = [];

  constructor(
    private readonly account: TestAccount,
    private readonly word: () => string,
  ) {}

  /** Writes until the service does not respond. */
  async writeUntilKilled(random: Random): Promise<void> {
    const acts = {
      create: () => this.create(),
      change: () => this.change(random),
      erase: () => this.erase(random),
    };
    while (await acts[random.weighted({ create: 5, change: 3, erase: 4 })]())
      await sleep(random.intBelow(10));
  }

  /** Finds out how the requests without a response ended. Repeats those that create. */
  async settle(): Promise<void> {
    for (const request of this.unknown.splice(0)) await this.settleOne(request);
  }

  private async create(): Promise<boolean> {
    const { word } = this;
    const body = {
      email: `${word()}@example.com`,
      name: word(),
      external_id: word(),
      metadata: { note: word() },
      program_id: 'prog_spring',
    };
    const request = { type: 'create', body, key: word() } as const;
    const response = await this.send(request, () => this.post(request));
    if (response !== undefined) this.keep(expectStatus(201, response));
    return response !== undefined;
  }

  private async change(random: Random): Promise<boolean> {
    const before = this.take(random);
    if (before === undefined) return true;
    const name = this.word();
    const response = await this.send({ type: 'change', before, name }, () =>
      this.account.api.patch<Affiliate>(`/v1/affiliates/${before.id}`, { name }),
    );
    if (response !== undefined) this.keep(expectStatus(200, response));
    return response !== undefined;
  }

  private async erase(random: Random): Promise<boolean> {
    const before = this.take(random);
    if (before === undefined) return true;
    const response = await this.send({ type: 'erase', before }, () =>
      this.account.api.post<Erasure>(`/v1/affiliates/${before.id}/erase`, undefined),
    );
    if (response !== undefined) this.erased.add(expectStatus(200, response).affiliate_id);
    return response !== undefined;
  }

  private async settleOne(request: UnknownRequest): Promise<void> {
    if (request.type === 'create') {
      const response = await this.post(request);
      return this.keep(expectStatus(response.status === 200 ? 200 : 201, response));
    }
    const { before } = request;
    const path = `/v1/affiliates/${before.id}`;
    if (request.type === 'erase') {
      const { status } = await this.account.api.get(`${path}/erasure`);
      if (status === 404) return this.keep(before);
      return void this.erased.add(before.id);
    }
    const now = expectStatus(200, await this.account.api.get<Affiliate>(path));
    const { updated_at, revision } = now;
    const changed = { ...before, name: request.name, updated_at, revision };
    expect(now).toEqual(now.name === request.name ? changed : before);
    this.keep(now);
  }

  private post({ body, key }: Extract<UnknownRequest, { type: 'create' }>) {
    const headers = { 'idempotency-key': key };
    return this.account.api.post<Affiliate>('/v1/affiliates', body, { headers });
  }

  /** Sends a request; undefined if no response arrived. */
  private async send<T>(
    request: UnknownRequest,
    exchange: () => Promise<ApiResponse<T>>,
  ): Promise<ApiResponse<T> | undefined> {
    try {
      return await exchange();
    } catch (error) {
      // errors of connections have a code, and broken rules of the contract have none
      if ((error as { readonly code?: string }).code === undefined) throw error;
      this.unknown.push(request);
      return undefined;
    }
  }

  private keep(affiliate: Affiliate): void {
    this.existing.set(affiliate.id, affiliate);
  }

  /** Takes an affiliate that no other writer writes to. */
  private take(random: Random): Affiliate | undefined {
    if (this.existing.size === 0) return undefined;
    const taken = present(random.pick([...this.existing.values()]));
    this.existing.delete(taken.id);
    return taken;
  }
}
