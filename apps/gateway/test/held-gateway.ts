import { randomBytes, randomUUID } from 'node:crypto';
import {
  streams,
  type AccountId,
  type AffiliateFields,
  type AffiliateId,
} from '@refledger/contracts';
import { sealedEvents } from '@refledger/domain';
import { affiliateFields } from '@refledger/domain/testing';
import { encodeEvent, type EventLog } from '@refledger/event-log';
import { withAppend } from '@refledger/event-log/conformance';
import { emailHashOf, Keyring, sealValues } from '@refledger/personal-data';
import { Health, newLogger, newMetrics, readConfig } from '@refledger/platform';
import { projections, Projector } from '@refledger/projections';
import { openSecretBox } from '@refledger/sealing';
import { TestAccount, type ApiResponse } from '@refledger/testing';
import { startGateway, type Gateway } from '../src/index.js';
import { present } from '@refledger/testing/present';
import { openEmbedded, type Engines } from './engines.js';
import { TestKeys } from './test-keys.js';

/** A request that is held. */
export interface HeldRequest<T> {
  /** Its response. Meaningless after a crash. */
  readonly response: Promise<ApiResponse<T>>;
  readonly release: () => void;
}

/**
 * A gateway in this process, on SQLite, whose writers can be held after they have written their
 * claim and before the append that the claim names.
 */
export class HeldGateway {
  private readonly adminKey = randomBytes(24).toString('hex');
  private readonly appends = new HeldAppends();
  private readonly secretBox = openSecretBox([randomBytes(32)]);
  private readonly gateways: Gateway[] = [];
  private readonly stopped = new AbortController();
  private readonly projecting: Promise<void>;
  private held = 0;

  private constructor(
    readonly engines: Engines,
    readonly keys: TestKeys,
  ) {
    const projector = new Projector({ ...engines, projections, logger });
    this.projecting = projector.run((batch) => batch.apply(), this.stopped.signal);
  }

  static async start(): Promise<HeldGateway> {
    const started = new HeldGateway(await openEmbedded(), await TestKeys.open());
    await started.add();
    return started;
  }

  openAccount(): Promise<TestAccount> {
    return TestAccount.open({ baseUrl: this.baseUrl, adminKey: this.adminKey });
  }

  /** The header that identifies the last held request, for its repetition. */
  get key(): Record<string, string> {
    return { 'idempotency-key': `key-${this.held}` };
  }

  /** Starts a request with these headers and waits until it is held. */
  async hold<T>(
    send: (headers: Record<string, string>) => Promise<ApiResponse<T>>,
  ): Promise<HeldRequest<T>> {
    this.held++;
    const requestId = randomUUID();
    const arrived = this.appends.hold(requestId);
    const response = send({ 'x-request-id': requestId, ...this.key });
    response.catch(() => undefined);
    const release = await Promise.race([
      arrived,
      response.then(({ status }) => {
        throw new Error(`the request was answered with ${status}, not held`);
      }),
    ]);
    return { response, release };
  }

  /**
   * Continues with another gateway on the same engines, as after a crash: what is held never
   * reaches the log. Returns the account at that gateway.
   */
  async crash(account: TestAccount): Promise<TestAccount> {
    this.appends.abandon();
    await this.add();
    return account.atGateway({ baseUrl: this.baseUrl });
  }

  /** Appends an affiliate of a release that had other rules for text. Resolves to its position. */
  async store(
    account_id: AccountId,
    affiliate_id: AffiliateId,
    fields: Pick<AffiliateFields, 'email' | 'name'>,
  ): Promise<string> {
    const recordedAt = '2026-01-01T00:00:00.000Z';
    const about = { affiliate_id, program_id: 'prog_spring' } as const;
    const after: AffiliateFields = { ...affiliateFields, status: 'pending', ...fields };
    const keyring = new Keyring(this.keys.store, this.secretBox);
    const key = await keyring.createForAffiliate({
      accountId: account_id,
      affiliateId: affiliate_id,
      // it was appended long ago
      claim: streams.affiliate(affiliate_id),
      at: recordedAt,
    });
    const created = sealedEvents(
      [{ type: 'affiliate.created', data: { ...about, after } }],
      { kind: 'none' },
      {
        seal: (values) => sealValues(present(key), values),
        hashes: {
          email: emailHashOf(await keyring.ofAccount(account_id), fields.email),
          external_id: null,
        },
      },
    );
    const metadata = {
      account_id,
      actor: 'test',
      request_id: 'r',
      recorded_at: recordedAt,
    };
    const { position } = await this.engines.log.append(
      streams.affiliate(affiliate_id),
      created.map((event) => encodeEvent(event, randomUUID(), metadata)),
      'no stream',
    );
    if (position === undefined) throw new Error('the log did not say where the event is');
    return position;
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.projecting;
    for (const gateway of this.gateways) await gateway.close();
    await this.keys.close();
    await this.engines.close();
  }

  private get baseUrl(): string {
    return this.gateways.at(-1)?.url ?? '';
  }

  private async add(): Promise<void> {
    this.gateways.push(
      await startGateway({
        config: readConfig({ PORT: '0', BOOTSTRAP_API_KEY: this.adminKey }),
        log: this.appends.wrap(this.engines.log),
        store: this.engines.store,
        keyStore: this.keys.store,
        secretBox: this.secretBox,
        logger,
        metrics: newMetrics(),
        health: new Health([]),
        loadOrCreateFirstKey: (fresh) => Promise.resolve(fresh()),
      }),
    );
  }
}

const logger = newLogger('silent', 'gateway');

/** Holds the first append of a request to an affiliate or a conversion. */
class HeldAppends {
  /** What to do when the append of this request arrives. */
  private readonly awaited = new Map<string, (release: () => void) => void>();
  private readonly abandons: (() => void)[] = [];

  /** Resolves, once the append of the request has arrived, to the function that lets it pass. */
  hold(requestId: string): Promise<() => void> {
    return new Promise((resolve) => this.awaited.set(requestId, resolve));
  }

  /** Makes everything that is held fail without reaching the log. */
  abandon(): void {
    for (const abandon of this.abandons) abandon();
  }

  /** The same log, with appends that can be held. */
  wrap(log: EventLog): EventLog {
    const append: EventLog['append'] = async (stream, events, expected) => {
      const requestId = events[0]?.metadata.request_id ?? '';
      const arrived = this.awaited.get(requestId);
      if (arrived !== undefined && /^refledger\.(affiliate|conversion)-/.test(stream)) {
        this.awaited.delete(requestId);
        await new Promise<void>((resolve, reject) => {
          this.abandons.push(() => reject(new Error('the gateway has crashed')));
          arrived(resolve);
        });
      }
      return log.append(stream, events, expected);
    };
    return withAppend(log, append);
  }
}
