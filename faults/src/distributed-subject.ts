import { randomBytes } from 'node:crypto';
import { openEventLog } from '@refledger/event-log';
import { openReadStore } from '@refledger/read-store';
import {
  startDistributedOverLogBus,
  type ControlledRole,
  type DistributedService,
  type Service,
} from '@refledger/testing';
import type { Servers } from '@refledger/testing/servers';
import { openDeliveryStore } from '@refledger/delivery-store';
import { faultSettings, isAnyWaiting, loseCheckpoint, type Subject } from './subject.js';
import { verify } from './verify.js';

/**
 * Several services over their own engines, with two ledgers of which one posts and the other stands
 * by. A fault hits one ledger, the other, both, or all services, in turn.
 */
export const twoLedgersSubject = async (servers: Servers<'MongoDB'>): Promise<Subject> => {
  const SECRETS_KEY = randomBytes(32).toString('base64');
  const services = await startDistributedOverLogBus(servers, {
    env: { ...faultSettings, SECRETS_KEY },
  });
  await services.startAnother('ledger');
  await services.ready();
  const urlOf = (name: string) =>
    present(services.engines.find(({ engine }) => engine === name)).url;
  const [EVENT_LOG_URL, READ_STORE_URL] = [urlOf('EventStoreDB'), urlOf('MongoDB')];
  const dispatcher = present(services.roles.find(({ role }) => role === 'webhook-dispatcher'));
  const targets = new Targets(services);
  return {
    service: targets.asService(),
    openLog: () => openEventLog(EVENT_LOG_URL, { dataDir: '', mode: 'read' }),
    keys: () => Promise.resolve({ url: READ_STORE_URL, dataDir: '', secretsKey: SECRETS_KEY }),
    isAnyDue: () => isAnyWaiting(dispatcher.opsUrl),
    // the projector is running, so its read models stay
    lose: async () => {
      await targets.killAllLedgers();
      await loseCheckpoint(openReadStore(READ_STORE_URL, { dataDir: '', mode: 'write' }));
    },
    verify: (what) => verify(what, { EVENT_LOG_URL, READ_STORE_URL, EVENT_BUS_URL: 'log:' }),
    // other processes may open the stores while the services run
    end: () => Promise.resolve(),
    openDeliveries: () => openDeliveryStore(READ_STORE_URL, { dataDir: '' }),
    close: async () => {
      await services.kill();
      await Promise.all(services.engines.map((engine) => engine.stop()));
    },
  };
};

/**
 * Presents several services as one. Each fault hits only some of them, and those start again after
 * it.
 */
class Targets {
  private readonly ledgers: readonly ControlledRole[];
  private readonly turns: readonly (readonly ControlledRole[])[];
  private turn = 0;
  private hit: readonly ControlledRole[] = [];
  private isUp = true;

  constructor(private readonly services: DistributedService) {
    this.ledgers = services.roles.filter(({ role }) => role === 'ledger');
    this.turns = [...this.ledgers.map((one) => [one]), this.ledgers, services.roles];
  }

  asService(): Service {
    return {
      ...this.services,
      kill: async () => void (await Promise.all(this.nextHit().map((one) => one.kill()))),
      signal: (signal) => this.nextHit().forEach((one) => one.signal(signal)),
      start: async () => {
        await Promise.all(this.hit.map((one) => one.start()));
        this.isUp = true;
      },
    };
  }

  /** Kills the ledgers that the last fault did not hit, so that no posting runs. */
  async killAllLedgers(): Promise<void> {
    const others = this.ledgers.filter((one) => !this.hit.includes(one));
    await Promise.all(others.map((one) => one.kill()));
    this.hit = [...this.hit, ...others];
  }

  /** A kill during a start hits what is starting. */
  private nextHit(): readonly ControlledRole[] {
    if (this.isUp) this.hit = this.turns[this.turn++ % this.turns.length] ?? [];
    this.isUp = false;
    return this.hit;
  }
}

const present = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('a service or an engine is missing');
  return value;
};
