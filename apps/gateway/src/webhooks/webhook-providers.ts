import type { PacedReads } from '@refledger/application';
import type { RecordReadsParts } from '@refledger/queries';
import type { GatewayParts } from '../gateway-parts.js';
import { ReadModels } from '../read-models.js';
import { Deliveries } from './deliveries.js';
import { DeliveryLists } from './delivery-lists.js';
import { EndpointHistories } from './endpoint-histories.js';
import { EndpointReads } from './endpoint-reads.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { EndpointTests } from './endpoint-tests.js';
import { Redeliveries } from './redeliveries.js';
import { Replays } from './replays.js';

/** The providers of all operations on webhook endpoints but their changes. */
export const webhookProviders = (
  parts: GatewayParts,
  recordReadsParts: RecordReadsParts,
  pacedReads: PacedReads,
) => [
  endpointReads,
  endpointHistories(parts, pacedReads),
  { provide: EndpointSecrets, useValue: new EndpointSecrets(parts.secretBox) },
  { provide: Deliveries, useValue: parts.deliveries },
  listingDeliveries(parts),
  redelivering(parts),
  testing(parts),
  replaying(parts, recordReadsParts),
];

const endpointReads = {
  provide: EndpointReads,
  useFactory: (readModels: ReadModels) => new EndpointReads(readModels),
  inject: [ReadModels],
};

const endpointHistories = ({ registry: keys }: GatewayParts, pacedReads: PacedReads) => ({
  provide: EndpointHistories,
  useFactory: (endpoints: EndpointReads, readModels: ReadModels) =>
    new EndpointHistories({ endpoints, readModels, pacedReads, keys }),
  inject: [EndpointReads, ReadModels],
});

const listingDeliveries = ({ deliveries }: GatewayParts) => ({
  provide: DeliveryLists,
  useFactory: (endpoints: EndpointReads) => new DeliveryLists(deliveries, endpoints),
  inject: [EndpointReads],
});

const redelivering = ({ deliveries, commands }: GatewayParts) => ({
  provide: Redeliveries,
  useFactory: (endpoints: EndpointReads) => new Redeliveries(deliveries, endpoints, commands),
  inject: [EndpointReads],
});

const testing = ({ config, work, deliveries, commands, outgoing }: GatewayParts) => ({
  provide: EndpointTests,
  useFactory: (endpoints: EndpointReads) =>
    new EndpointTests({
      deliveries,
      endpoints,
      commands,
      work,
      outgoing,
      attemptMs: config.webhooks.timeoutMs,
    }),
  inject: [EndpointReads],
});

const replaying = (
  { deliveries, consistency }: GatewayParts,
  { commands, times }: RecordReadsParts,
) => ({
  provide: Replays,
  useFactory: (endpoints: EndpointReads) =>
    new Replays({ deliveries, endpoints, commands, consistency, times }),
  inject: [EndpointReads],
});
