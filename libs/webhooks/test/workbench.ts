import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  comparePositions,
  isPublicEventType,
  newId,
  publicEventId,
  streams,
  type AccountId,
  type EndpointId,
  type EventPattern,
  type Position,
  type ProcessorStop,
} from '@refledger/contracts';
import {
  pendingStop,
  processorDecider,
  webhookEndpointsDecider,
  type EndpointPatch,
  type ProcessorCommand,
  type ProcessorState,
  type WebhookEndpointsCommand,
} from '@refledger/domain';
import { plainPersonalData } from '@refledger/domain/testing';
import { embeddedUrls } from '@refledger/engines';
import { keepConsuming } from '@refledger/event-bus';
import { accountId } from '@refledger/event-bus/conformance';
import { openLogBus } from '@refledger/event-bus/log';
import { CommandHandler, newContext } from '@refledger/application';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { EveryKey } from '@refledger/personal-data/testing';
import { openSecretBox } from '@refledger/sealing';
import { waitFor } from '@refledger/testing';
import { type DeliveryStore, openDeliveryStore } from '@refledger/delivery-store';
import { WebhookDispatcher } from '../src/dispatcher.js';
import { dispatcherName } from '@refledger/webhook-endpoints';
import type { DispatcherOptions } from '../src/dispatcher-options.js';
import type { EventIndex, IndexedEvent } from '../src/replays/event-index.js';
import { openSender } from '../src/sending/sender.js';

export const secret = 'whsec_' + Buffer.alloc(32, 7).toString('base64');
const secretBox = openSecretBox([Buffer.alloc(32, 1)]);

/** A running dispatcher and its store. */
export interface Running {
  readonly dispatcher: WebhookDispatcher;
  readonly store: DeliveryStore;
  /** Stops the dispatcher in the same way as the service does. */
  stop(deadlineMs?: number): Promise<void>;
  /** Stops it as a kill of the process would: nothing more is written. */
  kill(): Promise<void>;
}

/** A data directory with a real log, and dispatchers on it with a real bus, store and sender. */
export class Workbench {
  /** The keys of the texts of deliveries. Those of records are doubles (`plainPersonalData`). */
  readonly keys = new EveryKey();
  readonly logged: { readonly level: string; readonly message: string }[] = [];
  private readonly commands: CommandHandler;
  private readonly running = new Set<Running>();

  /** Test double: an index of all events that reads the log, and so does not scale. */
  readonly events: EventIndex = {
    read: async ({ after, through, limit }) => {
      const events: IndexedEvent[] = [];
      for await (const batch of this.log.readAll({ after }))
        for (const { id, type, data, position } of batch.events)
          if (isPublicEventType(type) && comparePositions(position, through) <= 0)
            events.push({
              eventId: publicEventId(id),
              type,
              objectId: (data as { readonly affiliate_id: string }).affiliate_id,
              position,
            });
      return { events: events.slice(0, limit), reached: await this.log.head() };
    },
  };

  private constructor(
    readonly directory: string,
    readonly log: EventLog,
  ) {
    this.commands = new CommandHandler(log);
  }

  static async open(): Promise<Workbench> {
    const directory = mkdtempSync(join(tmpdir(), 'refledger-dispatcher-'));
    return new Workbench(
      directory,
      await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: directory, mode: 'write' }),
    );
  }

  async close(): Promise<void> {
    for (const running of this.running) await running.stop();
    await this.log.close();
    rmSync(this.directory, { recursive: true });
  }

  async start(
    options: Partial<DispatcherOptions> & { readonly within?: string } = {},
  ): Promise<Running> {
    const { personalData = plainPersonalData } = options;
    const bus = options.bus ?? openLogBus({ log: this.log, personalData });
    const store = options.store ?? (await this.openStore(options.within));
    const sender = openSender({ mode: 'loopback' });
    const note = (level: string) => (_: object, message: string) =>
      void this.logged.push({ level, message });
    const dispatcher = new WebhookDispatcher({
      log: this.log,
      bus,
      store,
      personalData,
      texts: this.keys.texts,
      events: this.events,
      sender,
      secretBox,
      holder: 'only',
      schedule: [5_000, 30_000],
      timeoutMs: 60_000,
      retentionMs: 3_600_000,
      heldRetentionMs: 3_600_000,
      disableAfterMs: 0,
      version: '0.0.0',
      logger: { info: note('info'), warn: note('warn'), error: note('error') },
      ...options,
    });
    const ending = new AbortController();
    const consuming = keepConsuming({
      bus,
      consumer: dispatcher,
      handle: (batch) => dispatcher.handle(batch),
      signal: ending.signal,
    });
    const end = async (close: () => Promise<void>): Promise<void> => {
      if (!this.running.delete(running)) return;
      ending.abort();
      await consuming;
      await close();
      await bus.close();
      // a store passed as an option belongs to the caller
      if (options.store === undefined) await store.close();
      await sender.close();
    };
    const running: Running = {
      dispatcher,
      store,
      stop: (deadlineMs = 200) => end(() => dispatcher.close({ deadlineMs })),
      kill: () => end(() => store.close()),
    };
    this.running.add(running);
    return running;
  }

  /**
   * Makes the log look as if its tail had been lost and written again: the event at the store's
   * offset is no longer the one that was read there.
   */
  async tearOffset(): Promise<void> {
    const store = await this.openStore();
    await store.resetOffsets(
      (await store.offsets()).map((offset) => ({ ...offset, mark: 'lost' })),
      undefined,
    );
    await store.close();
  }

  /** Opens the delivery store in the folder, or in a folder within it. */
  private openStore(within = ''): Promise<DeliveryStore> {
    const dataDir = join(this.directory, within);
    mkdirSync(dataDir, { recursive: true });
    return openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, { dataDir });
  }

  /** Subscribes an endpoint, and resolves to the id of the endpoint at this URL. */
  async subscribe(
    url: string,
    events: readonly EventPattern[],
    account: AccountId = accountId,
  ): Promise<EndpointId> {
    const { state } = await this.endpoints(account, {
      type: 'subscribe',
      endpoint_id: newId('endpoint'),
      target_url: url,
      target_key: url,
      events,
      new_secret: secretBox.seal(secret),
      now: new Date().toISOString(),
    });
    for (const { id, fields } of state) if (fields.target_key === url) return id;
    throw new Error('not subscribed');
  }

  /** Changes an endpoint of the account of the samples. */
  async update(endpoint: EndpointId, patch: EndpointPatch): Promise<void> {
    await this.endpoints(accountId, { type: 'update', endpoint_id: endpoint, patch });
  }

  async unsubscribe(url: string, account: AccountId = accountId): Promise<void> {
    await this.endpoints(account, { type: 'unsubscribe', target_key: url });
  }

  endpoints(account: AccountId, command: WebhookEndpointsCommand) {
    return this.commands.run({
      stream: streams.webhooks(account),
      decider: webhookEndpointsDecider,
      command,
      context: newContext({ accountId: account, actor: 'test', requestId: 'test' }),
    });
  }

  async decide(
    command:
      | {
          readonly type: 'resume';
          readonly from: string;
          /** Default: the present stop; without any, the decision names none. */
          readonly stop?: ProcessorStop | undefined;
        }
      | { readonly type: 'skip'; readonly event_id: string; readonly position: Position },
  ): Promise<void> {
    const stream = streams.processor(dispatcherName);
    const state = await this.recorded();
    const full: ProcessorCommand = {
      ...command,
      processor: dispatcherName,
      // as `ops resume` does
      ...(command.type === 'resume' && { stop: command.stop ?? pendingStop(state) }),
    };
    await this.commands.run({
      stream,
      decider: processorDecider,
      command: full,
      context: newContext({ accountId: null, actor: 'test', requestId: 'test' }),
    });
  }

  /** Records that the dispatcher waits for a decision, as `ops resume` does while none runs. */
  async stop(stop: ProcessorStop): Promise<void> {
    await this.commands.run({
      stream: streams.processor(dispatcherName),
      decider: processorDecider,
      command: { type: 'stop', processor: dispatcherName, stop },
      context: newContext({ accountId: null, actor: 'test', requestId: 'test' }),
    });
  }

  /** What the log holds about the dispatcher. */
  async recorded(): Promise<ProcessorState> {
    const stream = streams.processor(dispatcherName);
    return (await this.commands.load(processorDecider, stream)).state;
  }

  /** Resolves once everything that is in the log now is planned. */
  async caughtUp({ dispatcher }: Running): Promise<void> {
    const head = await this.log.head();
    await waitFor(
      () =>
        head === undefined ||
        comparePositions(dispatcher.status().position ?? ('0' as Position), head) >= 0,
    );
  }

  /**
   * Resolves once exactly so many deliveries of the endpoint wait for a retry. The status alone
   * does not tell: a delivery may also wait for its first attempt.
   */
  async waitForRetries(
    { store }: Pick<Running, 'store'>,
    endpointId: EndpointId,
    count = 1,
  ): Promise<void> {
    await waitFor(async () => {
      const deliveries = await store.list({ endpointId, limit: 1_000 });
      return (
        deliveries.filter(({ status, attemptCount }) => status === 'waiting' && attemptCount > 0)
          .length === count
      );
    });
  }

  async eventsOf(type: string): Promise<number> {
    let count = 0;
    for await (const { events } of this.log.readAll())
      count += events.filter((event) => event.type === type).length;
    return count;
  }
}
