import { publicEventId } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type LoggedEvent } from '@refledger/event-log';
import { eventually, startStandalone, type StandaloneService } from '@refledger/testing';
import { Client } from './client.js';
import { compareCounted } from './compare/counted.js';
import { compareListed } from './compare/listed.js';
import { readEverything } from './facts.js';
import { historyOf } from './history.js';
import { Ledger } from './ledger.js';
import { openEvents } from './open-events.js';
import type { Original } from './original.js';
import { embeddedKeys } from './subject.js';

/** The result of opening a damaged directory: a service that runs on it, or a refused start. */
export type OpenResult =
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'serves';
      readonly service: StandaloneService;
      readonly log: readonly LoggedEvent[];
      readonly differences: readonly string[];
      readonly dispatcher: DispatcherReadiness;
    };

/** The readiness of the webhook dispatcher once it is no longer starting. */
export interface DispatcherReadiness {
  readonly ready: boolean;
  readonly detail: string;
}

/** Starts a real service on a directory. */
export const startCopy = async (
  directory: string,
  { key }: Pick<Original, 'key'>,
): Promise<
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'serves'; readonly service: StandaloneService }
> => {
  const env = { BOOTSTRAP_API_KEY: key, RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn' };
  try {
    return { kind: 'serves', service: await startStandalone({ dataDir: directory, env }) };
  } catch (error) {
    return { kind: 'refused', reason: (error as Error).message };
  }
};

/**
 * Starts a real service on a directory and checks everything that it holds: log, records, lists and
 * statistics must agree with one another, and the log with the start of the original's.
 */
export const openCopy = async (directory: string, original: Original): Promise<OpenResult> => {
  const started = await startCopy(directory, original);
  if (started.kind === 'refused') return started;
  const { service } = started;
  const dispatcher = await readinessOf(service);
  const ledger = new Ledger('/dev/null');
  const client = new Client(service.baseUrl, service.adminKey, ledger);
  try {
    const log = await logOf(directory);
    const history = historyOf(log);
    const responses = await readEverything(client, history);
    const differences = [
      ...notAPrefix(log, original.events),
      ...compareListed({ responses, history }).differences,
      ...compareCounted({ responses }).differences,
    ];
    return { kind: 'serves', service, log, differences, dispatcher };
  } catch (error) {
    await service.kill();
    throw error;
  } finally {
    await client.close();
    ledger.close();
  }
};

/**
 * Waits until the webhook dispatcher is no longer starting, then reads what readiness says about
 * it.
 */
export const readinessOf = (
  service: Pick<StandaloneService, 'opsUrl'>,
): Promise<DispatcherReadiness> =>
  eventually(async () => {
    const { parts } = (await (await fetch(`${service.opsUrl}/health/ready`)).json()) as {
      parts: (DispatcherReadiness & { part: string })[];
    };
    const dispatcher = parts.find(({ part }) => part === 'webhook-dispatcher');
    if (dispatcher === undefined || dispatcher.detail.startsWith('starting'))
      throw new Error(`the webhook-dispatcher is still ${dispatcher?.detail}`);
    return dispatcher;
  });

/** All events in the log of a data directory, with personal values in the clear. */
const logOf = async (directory: string): Promise<LoggedEvent[]> => {
  const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: directory, mode: 'read' });
  const events: LoggedEvent[] = [];
  for await (const batch of log.readAll()) events.push(...batch.events);
  await log.close();
  return openEvents(events, await embeddedKeys(directory));
};

/**
 * The events that differ from the start of the original's log. A start may add events about the
 * service itself (`processor.…`, `log.…`), and entries that had not been posted yet (`balance.…`).
 */
const notAPrefix = (log: readonly LoggedEvent[], original: readonly LoggedEvent[]): string[] =>
  log.flatMap((event, index) => {
    const there = original[index];
    if (there?.id === event.id && there.position === event.position) return [];
    return /^(processor|log|balance)\./.test(event.type)
      ? []
      : [
          `${event.type} at position ${event.position} differs from the original's event there (${there?.type})`,
        ];
  });

/** The ids that webhooks about these events carry. */
export const publicIds = (events: readonly LoggedEvent[]): ReadonlySet<string> =>
  new Set(events.map(({ id }) => publicEventId(id)));
