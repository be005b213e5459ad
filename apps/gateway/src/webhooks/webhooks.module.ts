import { Module } from '@nestjs/common';
import {
  CommandHandler,
  Consistency,
  PositionsAtTimes,
  ThrottledReads,
} from '@refledger/application';
import { streams } from '@refledger/contracts';
import { openDeliveryReader, openDeliveryStore } from '@refledger/delivery-store';
import { processorDecider } from '@refledger/domain';
import { DeliveryTexts, Keyring, PersonalData } from '@refledger/personal-data';
import {
  Deliveries,
  ShownDeliveryTexts,
  DeliveryReads,
  EndpointHistories,
  EndpointReads,
  KeyRegistry,
  ReadModels,
  Redeliveries,
  Replays,
  ShownEndpoints,
} from '@refledger/queries';
import { dispatcherName } from '@refledger/webhook-endpoints';
import { ConcurrencyLimit } from '../http/limits/concurrency-limit.js';
import { provide, provideBy, provideFrom } from '../provide.js';
import {
  configToken,
  eventLogToken,
  keyStoreToken,
  outgoingToken,
  secretBoxToken,
} from '../tokens.js';
import { DeliveriesController } from './deliveries.controller.js';
import { EndpointCommands } from './endpoint-commands.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { EndpointTests } from './endpoint-tests.js';
import { RemadeBodies } from './remade-bodies.js';
import { ReplaysController } from './replays.controller.js';
import { WebhookSecretsController } from './webhook-secrets.controller.js';
import { WebhooksController } from './webhooks.controller.js';

const deliveries = provideBy(
  Deliveries,
  { config: configToken, commands: CommandHandler },
  ({ config: { dataDir, engines }, commands }) =>
    new Deliveries({
      open: () => openDeliveryReader(engines.deliveryStoreUrl, { dataDir }),
      openRequests: () => openDeliveryStore(engines.deliveryStoreUrl, { dataDir }),
      recordedStore: async () => {
        const loaded = await commands.load(processorDecider, streams.processor(dispatcherName));
        return loaded.state.store_id;
      },
    }),
);

const endpointTests = provideBy(
  EndpointTests,
  {
    deliveries: Deliveries,
    endpoints: EndpointReads,
    commands: CommandHandler,
    work: ConcurrencyLimit,
    outgoing: outgoingToken,
    config: configToken,
  },
  ({ config, ...parts }) => new EndpointTests({ ...parts, attemptMs: config.webhooks.timeoutMs }),
);

/** Webhook endpoints, their deliveries and their replays. */
@Module({
  controllers: [
    WebhooksController,
    WebhookSecretsController,
    DeliveriesController,
    ReplaysController,
  ],
  providers: [
    deliveries,
    endpointTests,
    provide(EndpointCommands, [CommandHandler, Consistency]),
    provide(EndpointReads, [ReadModels]),
    provideFrom(EndpointHistories, {
      endpoints: EndpointReads,
      keys: KeyRegistry,
    }),
    provide(EndpointSecrets, [secretBoxToken]),
    provide(ShownEndpoints, [Deliveries, CommandHandler]),
    provide(DeliveryTexts, [keyStoreToken, secretBoxToken, Keyring]),
    provideFrom(RemadeBodies, {
      log: eventLogToken,
      commands: CommandHandler,
      throttledReads: ThrottledReads,
      personalData: PersonalData,
    }),
    provide(ShownDeliveryTexts, [DeliveryTexts, RemadeBodies]),
    provide(DeliveryReads, [Deliveries, EndpointReads, ShownDeliveryTexts]),
    provide(Redeliveries, [Deliveries, EndpointReads, CommandHandler]),
    provideFrom(Replays, {
      deliveries: Deliveries,
      endpoints: EndpointReads,
      commands: CommandHandler,
      consistency: Consistency,
      times: PositionsAtTimes,
    }),
  ],
})
export class WebhooksModule {}
