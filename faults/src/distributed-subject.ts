import { openEventLog } from '@refledger/event-log';
import { openReadStore } from '@refledger/read-store';
import {
  startDistributedOverLogBus,
  type ControlledRole,
  type DistributedService,
  type Service,
} from '@refledger/testing';
import type { Servers } from '@refledger/testing/servers';
import { openDeliveryStore } from '@refledger/webhooks';
import { faultSettings, isAnyWaiting, loseCheckpoint, type Subject } from './subject.js';
import { verifyLedger } from './verify-ledger.js';

/**
 * Several services over their own engines, with two ledgers of which one posts and the other stands
 * by. A fault hits one ledger, the other, both, or all services, in turn.
 */
export const twoLedgersSubject = async (servers: Servers<'MongoDB'>): Promise<Subject> => {
  const services = await startDistributedOverLogBus(servers, { env: faultSettings });
  await services.another('ledger');
  await services.ready();
  const urlOf = (name: string) =>
    present(services.engines.find(({ engine }) => engine === name)).url;
  const [EVENT_LOG_URL, READ_STORE_URL] = [urlOf('EventStoreDB'), urlOf('MongoDB')];
  const dispatcher = present(services.roles.find(({ role }) => role === 'webhook-dispatcher'));
  return {
    service: hitInTurn(services),
    openLog: () => openEventLog(EVENT_LOG_URL, { dataDir: '', mode: 'read' }),
    isAnyDue: () => isAnyWaiting(dispatcher.opsUrl),
    // the projector is running, so its read models stay
    lose: () => loseCheckpoint(openReadStore(READ_STORE_URL, { dataDir: '', mode: 'write' })),
    verifyLedger: () => verifyLedger({ EVENT_LOG_URL, READ_STORE_URL, EVENT_BUS_URL: 'log:' }),
    // others may open the stores of running services
    end: () => Promise.resolve(),
    openDeliveries: () => openDeliveryStore(READ_STORE_URL, { dataDir: '' }),
    close: async () => {
      await services.kill();
      await Promise.all(services.engines.map((engine) => engine.stop()));
    },
  };
};

/** The services as one, of which each fault hits only some. The same ones start again after it. */
const hitInTurn = (services: DistributedService): Service => {
  const ledgers = services.roles.filter(({ role }) => role === 'ledger');
  const turns = [...ledgers.map((one) => [one]), ledgers, services.roles];
  let turn = 0;
  let targets: readonly ControlledRole[] = [];
  let isUp = true;
  const hit = () => {
    // a kill during a start hits what is starting
    if (isUp) targets = turns[turn++ % turns.length] ?? [];
    isUp = false;
    return targets;
  };
  return {
    ...services,
    kill: async () => void (await Promise.all(hit().map((one) => one.kill()))),
    signal: (signal) => hit().forEach((one) => one.signal(signal)),
    start: async () => {
      await Promise.all(targets.map((one) => one.start()));
      isUp = true;
    },
  };
};

const present = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('a service or an engine is missing');
  return value;
};
