import { conversionBody, TestAccount, type Service } from '@refledger/testing';
import type { AttackRequest } from './attack.js';
import { Connections, sendInTurn } from './connections.js';
import { runOpenLoop } from './open-loop.js';
import type { Latencies } from './p99.js';

/** The latencies that a client of another account saw in one round. */
export interface Seen {
  readonly reads: Latencies;
  readonly writes: Latencies;
}

/** Requests per second; every second one is a write. */
const perSecond = 160;
/** Skipped at the start of a round, while the service is still working on the previous round. */
const warmUpMs = 500;
const connections = 16;

/** A client of another account, which sends at a modest rate whatever others do. */
export class Bystander {
  private readonly connections: Connections;
  private sent = 0;

  private constructor(
    baseUrl: string,
    private readonly requests: readonly AttackRequest[],
  ) {
    this.connections = new Connections(baseUrl, connections);
  }

  /** Opens an account with an affiliate that has some pages of sales. */
  static async open(service: Service): Promise<Bystander> {
    const { account, affiliate } = await TestAccount.withAffiliate(service);
    const apiKey = account.api.key ?? '';
    const json = conversionBody(affiliate.id);
    const sale: AttackRequest = { method: 'POST', path: '/v1/conversions', apiKey, json };
    await sendInTurn(
      service.baseUrl,
      Array.from({ length: 100 }, () => sale),
    );
    const read = (path: string): AttackRequest => ({ method: 'GET', path, apiKey });
    const reads = [
      read(`/v1/affiliates/${affiliate.id}`),
      read('/v1/conversions?limit=25'),
      read(`/v1/affiliates/${affiliate.id}/stats`),
    ];
    return new Bystander(
      service.baseUrl,
      reads.flatMap((one) => [sale, one]),
    );
  }

  /** Sends for `forMs` milliseconds. Throws when a response has the wrong status. */
  async watch(forMs: number): Promise<Seen> {
    const seen = { reads: [] as number[], writes: [] as number[] };
    const wrong: unknown[] = [];
    const begin = performance.now();
    const exchange = async (due: number): Promise<void> => {
      const isWrite = await this.exchange();
      if (due < begin + warmUpMs) return;
      (isWrite ? seen.writes : seen.reads).push(performance.now() - due);
    };
    await runOpenLoop({
      perSecond,
      count: (perSecond * forMs) / 1_000,
      send: (_n, due) => exchange(due).catch((error: unknown) => void wrong.push(error)),
    });
    if (wrong.length > 0) throw wrong[0];
    return seen;
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  private async exchange(): Promise<boolean> {
    const n = this.sent++;
    const request = this.requests[n % this.requests.length];
    if (request === undefined) throw new Error('there are no requests');
    const isWrite = request.method === 'POST';
    const { status, text } = await this.connections.send(n, request);
    if (status === (isWrite ? 201 : 200)) return isWrite;
    throw new Error(`${request.method} ${request.path} of another account: ${status} ${text}`);
  }
}
