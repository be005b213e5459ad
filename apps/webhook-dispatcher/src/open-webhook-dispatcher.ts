import { sendsNothing, version, type Config, type Logger } from '@refledger/platform';
import { dispatcherName, type Outgoing } from '@refledger/webhook-endpoints';
import { openSender } from '@refledger/webhooks/sender';
import { secretsReadable, type SecretsToRead } from './secrets-readable.js';
import {
  startWebhookDispatcher,
  type WebhookDispatcherOptions,
} from './start-webhook-dispatcher.js';

export interface OpenWebhookDispatcherOptions
  extends
    Pick<
      WebhookDispatcherOptions,
      | 'log'
      | 'bus'
      | 'store'
      | 'keys'
      | 'events'
      | 'personalData'
      | 'texts'
      | 'metrics'
      | 'holder'
      | 'startBatches'
    >,
    Pick<SecretsToRead, 'logger' | 'report'> {
  readonly settings: Config['webhooks'];
  readonly outgoing: Outgoing;
  readonly secretBox: WebhookDispatcherOptions['secretBox'] & SecretsToRead['box'];
}

/**
 * Runs the webhook-dispatcher with a sender of its own. It starts once every secret can be read.
 * Closing it leaves log, bus and store open.
 */
export const openWebhookDispatcher = ({
  settings: {
    privateTargets,
    retrySchedule: schedule,
    timeoutMs,
    retentionMs,
    heldRetentionMs,
    disableAfterMs,
    limits,
  },
  ...options
}: OpenWebhookDispatcherOptions): { measure(): void; close(): Promise<void> } => {
  const { secretBox: box } = options;
  logOutgoing(options);
  const ending = new AbortController();
  const sender = openSender({ mode: privateTargets });
  let dispatcher: Awaited<ReturnType<typeof startWebhookDispatcher>> | undefined;
  const starting = secretsReadable({ ...options, box, signal: ending.signal }).then(
    async (readable) => {
      if (!readable) return;
      dispatcher = await startWebhookDispatcher({
        ...options,
        sender,
        schedule,
        timeoutMs,
        retentionMs,
        heldRetentionMs,
        disableAfterMs,
        limits,
        version,
      });
    },
  );
  return {
    measure: () => dispatcher?.measure(),
    close: async () => {
      ending.abort();
      await starting;
      await dispatcher?.close();
      await sender.close();
    },
  };
};

/** Logs why nothing is sent, and from when on webhooks are. */
const logOutgoing = ({
  outgoing,
  logger,
}: Pick<OpenWebhookDispatcherOptions, 'outgoing'> & { readonly logger: Logger }): void => {
  const log = (): void => {
    const { blocked } = outgoing;
    if (blocked === undefined) logger.info(`the ${dispatcherName} sends from now on`);
    else logger.warn(`the ${dispatcherName} ${sendsNothing(blocked)}`);
  };
  if (outgoing.blocked !== undefined) log();
  outgoing.on('change', log);
};
