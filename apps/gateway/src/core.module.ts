import { Global, Module, type DynamicModule, type ValueProvider } from '@nestjs/common';
import {
  ApiKeys,
  bootstrap,
  CommandHandler,
  Consistency,
  ThrottledReads,
  PositionsAtTimes,
  RecordHistory,
  snapshotsFor,
} from '@refledger/application';
import { Keyring, PersonalData } from '@refledger/personal-data';
import { apiKeysDecider, webhookEndpointsDecider } from '@refledger/domain';
import { EndpointSnapshots, KeyRegistry, ReadModels, storedMarks } from '@refledger/queries';
import { Exports } from './exports/exports.js';
import { ConcurrencyLimit } from './http/limits/concurrency-limit.js';
import { PositionWaits } from './http/limits/position-waits.js';
import { provide, provideBy, provideFrom } from './provide.js';
import { RecordsParts } from './records/records.js';
import {
  configToken,
  eventLogToken,
  keyStoreToken,
  loadOrCreateFirstKeyToken,
  loggerToken,
  marksToken,
  metricsToken,
  readStoreToken,
  secretBoxToken,
  startedAtToken,
} from './tokens.js';

/** The providers that several resources need. */
@Global()
@Module({})
export class CoreModule {
  /** `values` are what exists before the application, such as the engines. */
  static forRoot(values: readonly ValueProvider[]): DynamicModule {
    const all = [...values, ...writing, ...reading];
    return { module: CoreModule, providers: all, exports: all };
  }
}

const writing = [
  provideBy(
    EndpointSnapshots,
    { store: readStoreToken, log: eventLogToken, logger: loggerToken },
    ({ store, log, logger }) => new EndpointSnapshots(store, log.id, logger),
  ),
  provideBy(
    CommandHandler,
    { log: eventLogToken, keys: KeyRegistry, endpoints: EndpointSnapshots },
    ({ log, keys, endpoints }) => {
      const ofKeys = snapshotsFor(apiKeysDecider, (stream) => keys.snapshot(stream));
      const ofEndpoints = snapshotsFor(webhookEndpointsDecider, (stream) =>
        endpoints.ofAccount(stream),
      );
      return new CommandHandler(log, {
        snapshotOf: async (decider, stream) =>
          (await ofKeys(decider, stream)) ?? ofEndpoints(decider, stream),
      });
    },
  ),
  provide(Keyring, [keyStoreToken, secretBoxToken]),
  provide(PersonalData, [keyStoreToken, secretBoxToken]),
  provide(ApiKeys, [eventLogToken, CommandHandler, KeyRegistry]),
  provideBy(
    startedAtToken,
    {
      log: eventLogToken,
      commands: CommandHandler,
      keyring: Keyring,
      keys: ApiKeys,
      config: configToken,
      loadOrCreateFirstKey: loadOrCreateFirstKeyToken,
    },
    async ({ log, commands, keyring, keys, config, loadOrCreateFirstKey }) => {
      await bootstrap({ commands, keyring }, keys, config.bootstrapApiKey, loadOrCreateFirstKey);
      return log.head();
    },
  ),
];

const reading = [
  provideFrom(PositionWaits, { work: ConcurrencyLimit, metrics: metricsToken }),
  provideBy(
    Consistency,
    {
      log: eventLogToken,
      store: readStoreToken,
      startedAt: startedAtToken,
      waits: PositionWaits,
      config: configToken,
    },
    ({ config, ...parts }) =>
      new Consistency({ ...parts, timeoutMs: config.http.consistencyTimeoutMs }),
  ),
  provide(ReadModels, [readStoreToken, Consistency]),
  provide(ThrottledReads, [PositionWaits]),
  provideBy(
    marksToken,
    { store: readStoreToken, consistency: Consistency },
    ({ store, consistency }) => storedMarks(store, consistency),
  ),
  provideBy(
    PositionsAtTimes,
    { log: eventLogToken, marks: marksToken, throttledReads: ThrottledReads, config: configToken },
    ({ config, ...parts }) =>
      new PositionsAtTimes({ ...parts, timeoutMs: config.http.consistencyTimeoutMs }),
  ),
  provide(RecordHistory, [eventLogToken, ThrottledReads]),
  provideBy(
    RecordsParts,
    {
      past: RecordHistory,
      commands: CommandHandler,
      consistency: Consistency,
      keys: KeyRegistry,
      personalData: PersonalData,
      times: PositionsAtTimes,
      readModels: ReadModels,
    },
    (parts) => parts,
  ),
  provide(Exports, [metricsToken]),
];
