import { randomBytes } from 'node:crypto';
import { derivedId, type AffiliateId } from '@refledger/contracts';
import type { ReadStore } from '@refledger/read-store';
import { openSecretBox } from '@refledger/sealing';
import { testSeed, type Random } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { Embedded, eraseToHead } from '../embedded.js';
import { brokenAtTheEnd, brokenLaws, brokenTogether, lineOf } from './affiliate-laws.js';
import { openable, type GatewayEngines } from './gateway-engines.js';
import { GatewayProcess } from './gateway-process.js';
import { MortalProcess, type Death } from './mortal-process.js';
import { observe, type Observed } from './observed.js';
import { DrawnRequests, type Request } from './requests.js';

/** A request and how it ended. Unknown: its process died before it responded. */
interface Sent {
  readonly request: Request;
  readonly outcome: 'acknowledged' | 'refused' | 'unknown';
}

/**
 * An account whose gateways and ledgers die, on engines that keep what was committed. Checks the laws
 * after each of them has ended.
 */
export class CrashingService {
  kills = 0;
  /** How many deaths came after an erasure was recorded and before its key was destroyed. */
  halfErased = 0;
  private observed: ReadonlyMap<AffiliateId, Observed> = new Map();
  /** Requests of dead gateways that a claim may still finish. */
  private unfinished: readonly Request[] = [];
  private readonly story: string[] = [];
  private readonly requests: DrawnRequests;

  private constructor(
    private readonly random: Random,
    private readonly engines: GatewayEngines & { readonly store: ReadStore },
    private readonly ids: readonly AffiliateId[],
  ) {
    this.requests = new DrawnRequests(random, ids);
  }

  static async start(random: Random): Promise<CrashingService> {
    const embedded = new Embedded();
    const engines = {
      log: await embedded.openLog(),
      keys: embedded.openKeys(),
      store: await embedded.openStore(),
      box: openSecretBox([randomBytes(32)]),
    };
    const ids = Array.from({ length: 12 }, (_, n) => derivedId('affiliate', `${n}`));
    await (await GatewayProcess.start(engines)).createAccount();
    const service = new CrashingService(random, engines, ids);
    service.observed = await observe(engines, ids);
    await service.serve(ids.slice(0, 8).map((id) => service.requests.creation(id)));
    return service;
  }

  /**
   * Lets a gateway and a ledger die, and others finish their work. Throws if a law is broken.
   */
  async round(): Promise<void> {
    const length = this.random.is(0.5) ? 1 : this.random.intBetween(2, 4);
    const requests = Array.from({ length }, () => this.requests.next(this.existing));
    const calls = requests.reduce((sum, { type }) => sum + callsOf[type], 0);
    const sent = await this.serve(requests, this.death(callsOfStart, calls));
    await this.erase(this.death(callsOfLedgerStart, callsOfLedger));
    const repeated = sent.filter(({ outcome }) => outcome === 'unknown' && this.random.is(0.5));
    await this.serve(repeated.map(({ request }) => request));
    await this.erase();
  }

  /** A death at one of the first calls, or at one of those that follow. */
  private death(first: number, calls: number): Death {
    const at = this.random.is(0.1)
      ? this.random.intBelow(first + 1)
      : first + this.random.intBelow(calls);
    return { at, when: this.random.is(0.5) ? 'before' : 'after' };
  }

  private get existing(): readonly AffiliateId[] {
    return this.ids.filter((id) => this.observed.get(id)?.life.kind === 'exists');
  }

  /** Starts a gateway, which carries out requests at the same time until it dies. */
  private async serve(requests: readonly Request[], death?: Death): Promise<readonly Sent[]> {
    const process = new MortalProcess(death);
    const outcomes = new Map<Request, Sent['outcome']>();
    const work = async (): Promise<void> => {
      const { log, keys, box } = this.engines;
      const gateway = await GatewayProcess.start({
        log: process.log(log),
        keys: process.keys(keys),
        box,
      });
      await this.expectNothingOpens((id, sealed) => gateway.opened(id, sealed));
      await Promise.all(
        requests.map(async (request) => {
          const isDone = await gateway.isDone(request);
          outcomes.set(request, isDone ? 'acknowledged' : 'refused');
        }),
      );
    };
    await process.run(work());
    const sent = requests.map((request) => ({
      request,
      outcome: outcomes.get(request) ?? 'unknown',
    }));
    await this.ended('a gateway', process, sent);
    return sent;
  }

  /** Starts a ledger, which follows the log to its end unless it dies. */
  private async erase(death?: Death): Promise<void> {
    const process = new MortalProcess(death);
    const { log, keys, store } = this.engines;
    const engines = {
      log: process.log(log),
      keys: process.keys(keys),
      store: process.store(store),
    };
    await process.run(eraseToHead(engines, process.died));
    await this.ended('a ledger', process, []);
    if (process.hasDied) return;
    const broken = [...this.observed.values()].flatMap(brokenAtTheEnd);
    if (broken.length > 0) this.fail(broken);
    await this.expectNothingOpens((id, sealed) => openable(this.engines, id, sealed));
  }

  private async ended(what: string, process: MortalProcess, sent: readonly Sent[]): Promise<void> {
    if (process.hasDied) this.kills++;
    this.story.push(`${what} ${process.hasDied ? 'was killed' : 'ended'}: ${JSON.stringify(sent)}`);
    const before = this.observed;
    this.observed = await observe(this.engines, this.ids);
    const broken = this.ids.flatMap((id) => this.brokenBy(id, present(before.get(id)), sent));
    broken.push(...brokenTogether([...this.observed.values()]));
    if (broken.length > 0) this.fail(broken);
    if (sent.length > 0) this.halfErased += [...this.observed.values()].filter(isHalfErased).length;
    const unknown = sent.flatMap((one) => (one.outcome === 'unknown' ? one.request : []));
    this.unfinished = [
      ...this.unfinished.filter(({ id }) => this.lengthOf(id) === before.get(id)?.events.length),
      ...unknown.filter(mayBeFinished),
    ];
  }

  private brokenBy(id: AffiliateId, before: Observed, sent: readonly Sent[]): string[] {
    const after = present(this.observed.get(id));
    const about = (outcome: Sent['outcome']): Request[] =>
      sent.flatMap((one) => (one.request.id === id && one.outcome === outcome ? one.request : []));
    const broken = brokenLaws(before, after, {
      acknowledged: about('acknowledged'),
      refused: about('refused'),
      unknown: [...about('unknown'), ...this.unfinished.filter((one) => one.id === id)],
    });
    return broken.map((law) => `${id}: ${law}: ${lineOf(before)} -> ${lineOf(after)}`);
  }

  private lengthOf(id: AffiliateId): number | undefined {
    return this.observed.get(id)?.events.length;
  }

  private async expectNothingOpens(
    open: (id: AffiliateId, sealed: readonly string[]) => Promise<number>,
  ): Promise<void> {
    for (const [id, { life, sealed }] of this.observed)
      if (life.kind === 'erased' && (await open(id, sealed)) > 0)
        this.fail([`${id}: it is erased, but opens`]);
  }

  private fail(broken: readonly string[]): never {
    throw new Error([`TEST_SEED=${testSeed}`, ...this.story, ...broken].join('\n'));
  }
}

const isHalfErased = ({ life, row }: Observed): boolean =>
  life.kind === 'erased' && row?.kind === 'key';

/** About how many calls to log and key store each takes, so that a death can come at any of them. */
const callsOf: Readonly<Record<Request['type'], number>> = {
  create: 12,
  change: 12,
  delete: 2,
  erase: 5,
};
const callsOfStart = 3;
const callsOfLedgerStart = 9;
const callsOfLedger = 8;

/** A claim can finish what sets an email after its gateway has died. */
const mayBeFinished = (request: Request): boolean =>
  request.type === 'create' || (request.type === 'change' && request.patch.email !== undefined);
