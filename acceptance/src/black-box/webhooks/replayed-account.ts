/// <reference types="jest" />
import {
  type ApiResponse,
  expectStatus,
  type Hook,
  type MovableClock,
  type Replay,
  type ServiceFactory,
} from '@refledger/testing';
import { HookedAccount, type HookedEndpoint } from './hooked-account.js';

const salesKinds = ['conversion.created', 'conversion.approved'];

/**
 * An account with three sales, each approved: six events. A witness has received all of them as
 * they happened.
 */
export class ReplayedAccount extends HookedAccount {
  private constructor(
    { account, affiliate, receiver, clock }: HookedAccount,
    readonly witness: HookedEndpoint,
    /** The events that the witness received, in the order of the log. */
    readonly original: readonly Hook[],
  ) {
    super(account, affiliate, receiver, clock);
  }

  static override async open(
    service: ServiceFactory,
    clock: MovableClock,
  ): Promise<ReplayedAccount> {
    const hooked = await HookedAccount.open(service, clock);
    const { account, affiliate, receiver } = hooked;
    const witness = await hooked.subscribe(salesKinds);
    for (let n = 0; n < 3; n++) {
      const sale = await account.conversion(affiliate.id);
      await account.update(sale, { status: 'approved' });
    }
    const hooks = await receiver.waitFor(witness.at, 6);
    const original = [...hooks].sort(
      (a, b) => Number(a.envelope.position) - Number(b.envelope.position),
    );
    return new ReplayedAccount(hooked, witness, original);
  }

  /** An endpoint that none of the events was sent to. */
  late(events: readonly string[] = salesKinds, over: object = {}): Promise<HookedEndpoint> {
    return this.subscribe(events, over);
  }

  begin(id: string, body: object, key?: string): Promise<ApiResponse<Replay>> {
    const options = key === undefined ? {} : { headers: { 'idempotency-key': key } };
    return this.api.post<Replay>(`/v1/webhooks/${id}/replays`, body, options);
  }

  async get({ id, endpoint_id }: Replay): Promise<Replay> {
    const path = `/v1/webhooks/${endpoint_id}/replays/${id}`;
    return expectStatus(200, await this.api.get<Replay>(path));
  }

  /** Starts a replay, and resolves once all its deliveries have ended. */
  async replay(id: string, body: object): Promise<Replay> {
    return this.ended(expectStatus(202, await this.begin(id, body)));
  }

  /** Resolves once a replay and all its deliveries have ended. */
  ended(replay: Replay): Promise<Replay> {
    return this.whileRetrying(replay.endpoint_id, async () => {
      // its counts are renewed every second
      await this.clock.pass(1_000);
      const now = await this.get(replay);
      expect(now.status).not.toBe('running');
      expect(now.succeeded + now.failed).toBe(now.planned);
      return now;
    });
  }
}

/** The bodies of hooks, in the order of the log. */
export const bodiesOf = (hooks: readonly Hook[]): readonly string[] =>
  [...hooks]
    .sort((a, b) => Number(a.envelope.position) - Number(b.envelope.position))
    .map(({ bytes }) => bytes.toString());
