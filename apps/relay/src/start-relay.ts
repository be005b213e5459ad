import { Relay, type RelayOptions } from '@refledger/event-bus';
import { startBatches } from '@refledger/platform/nest';

/**
 * Runs the relay on a log and a publication that the caller opens and closes. Closing the relay
 * ends it after the current batch.
 */
export const startRelay = async (options: RelayOptions) => {
  const relay = new Relay(options);
  const app = await startBatches(relay, (batch) => relay.publish(batch));
  return { status: () => relay.status(), close: () => app.close() };
};
