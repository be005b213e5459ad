import type { CommandHandler, Consistency, ReadWaits } from '@refledger/application';
import type { EventLog } from '@refledger/event-log';
import type { Config, Logger, Metrics } from '@refledger/platform';
import type { ReadStore } from '@refledger/read-store';
import type { Outgoing, SecretBox } from '@refledger/webhooks';
import type { ApiKeys } from './accounts/api-keys.js';
import type { KeyRegistry } from './accounts/key-registry.js';
import type { KeyUseRecorder } from './accounts/key-use-recorder.js';
import type { ConcurrencyLimit } from './http/limits/concurrency-limit.js';
import type { Deliveries } from './webhooks/deliveries.js';

/** The parts that the gateway's module takes. They are created before it. */
export interface GatewayParts {
  readonly config: Config;
  readonly log: EventLog;
  readonly store: ReadStore;
  readonly secretBox: SecretBox;
  readonly registry: KeyRegistry;
  readonly commands: CommandHandler;
  readonly keys: ApiKeys;
  readonly uses: KeyUseRecorder;
  readonly consistency: Consistency;
  readonly waits: ReadWaits;
  readonly work: ConcurrencyLimit;
  readonly deliveries: Deliveries;
  readonly outgoing: Pick<Outgoing, 'blocked'>;
  readonly metrics: Metrics;
  readonly logger: Logger;
}
