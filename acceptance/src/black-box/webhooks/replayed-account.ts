/// <reference types="jest" />
import {
  type ApiResponse,
  type Endpoint,
  eventually,
  expectStatus,
  type Hook,
  type HookReceiver,
  type Replay,
  startHookReceiver,
  TestAccount,
  uniqueText,
  type ServiceFactory,
} from '@refledger/testing';

const salesKinds = ['conversion.created', 'conversion.approved'];

/**
 * An account with three sales, each approved: six events. A witness has received all of them as
 * they happened.
 */
export class ReplayedAccount {
  private constructor(
    readonly account: TestAccount,
    readonly receiver: HookReceiver,
    readonly witness: Endpoint,
    /** What the witness got, in the order of the log. */
    readonly original: readonly Hook[],
  ) {}

  static async open(service: ServiceFactory): Promise<ReplayedAccount> {
    const receiver = await startHookReceiver();
    const { account, affiliate } = await TestAccount.withAffiliate(await service());
    const at = `/${uniqueText('hook')}`;
    const witness = await account.subscribe(receiver.url(at), salesKinds);
    for (let n = 0; n < 3; n++) {
      const sale = await account.conversion(affiliate.id);
      await account.update(sale, { status: 'approved' });
    }
    const hooks = await receiver.waitFor(at, 6);
    const original = [...hooks].sort(
      (a, b) => Number(a.envelope.position) - Number(b.envelope.position),
    );
    return new ReplayedAccount(account, receiver, witness, original);
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  /** An endpoint that none of the events was sent to. */
  async late(events: readonly string[] = salesKinds, over: object = {}) {
    const at = `/${uniqueText('hook')}`;
    const { id } = await this.account.subscribe(this.receiver.url(at), events, over);
    return { at, id };
  }

  begin(id: string, body: object, key?: string): Promise<ApiResponse<Replay>> {
    const options = key === undefined ? {} : { headers: { 'idempotency-key': key } };
    return this.account.api.post<Replay>(`/v1/webhooks/${id}/replays`, body, options);
  }

  async get({ id, endpoint_id }: Replay): Promise<Replay> {
    const path = `/v1/webhooks/${endpoint_id}/replays/${id}`;
    return expectStatus(200, await this.account.api.get<Replay>(path));
  }

  /** Begins a replay, and resolves once all its deliveries have ended. */
  async replay(id: string, body: object): Promise<Replay> {
    return this.ended(expectStatus(202, await this.begin(id, body)));
  }

  /** Resolves once a replay and all its deliveries have ended. */
  ended(replay: Replay): Promise<Replay> {
    return eventually(
      async () => {
        const now = await this.get(replay);
        expect(now.status).not.toBe('running');
        expect(now.succeeded + now.failed).toBe(now.planned);
        return now;
      },
      { timeoutMs: 30_000 },
    );
  }

  async patch(id: string, body: object): Promise<Endpoint> {
    return expectStatus(200, await this.account.api.patch<Endpoint>(`/v1/webhooks/${id}`, body));
  }
}

/** The bodies of hooks, in the order of the log. */
export const bodiesOf = (hooks: readonly Hook[]): readonly string[] =>
  [...hooks]
    .sort((a, b) => Number(a.envelope.position) - Number(b.envelope.position))
    .map(({ bytes }) => bytes.toString());
