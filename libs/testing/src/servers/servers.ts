import { chooseServer, type OptionalEngine, type ServerSource } from './choose-server.js';
import { startKafka } from './kafka-server.js';
import { startMongodb, type MongodbServerOptions } from './mongodb-server.js';
import type { TestServer } from './test-server.js';

/**
 * Starts servers of these engines. The only way to start one: a suite gets it from
 * `describeWithServers`, which skips where one of them is missing.
 */
export interface Servers<E extends OptionalEngine> {
  // a property, not a method: servers of fewer engines do not pass for these
  readonly start: (engine: E, options?: MongodbServerOptions) => Promise<TestServer>;
}

/** What a suite does with its servers. */
export interface ServerUse {
  /** It kills them and holds them still, so one that the environment names is none for it. */
  readonly harms?: boolean;
}

/** What starts servers of these engines; `missing` says why there can't be one of some. */
export const findServers = <E extends OptionalEngine>(
  engines: readonly E[],
  { harms = false }: ServerUse = {},
): Servers<E> & { readonly missing: string | undefined } => {
  const choices = new Map(engines.map((engine) => [engine, chooseServer(engine)]));
  const reasons = [...choices].flatMap(([engine, choice]) => {
    if (choice.from === 'nowhere') return [choice.reason];
    return harms && choice.from === 'environment'
      ? [`the ${engine} of the environment may not be harmed`]
      : [];
  });
  return {
    missing: reasons.length === 0 ? undefined : [...new Set(reasons)].join('; '),
    start: async (engine, options) => {
      const choice = choices.get(engine);
      if (choice === undefined || choice.from === 'nowhere')
        throw new Error(choice?.reason ?? `${engine} was not asked for`);
      return start(engine, choice, options);
    },
  };
};

const start = (
  engine: OptionalEngine,
  source: ServerSource,
  options?: MongodbServerOptions,
): Promise<TestServer> => {
  switch (engine) {
    case 'MongoDB':
      return startMongodb(source, options);
    case 'Kafka':
      return startKafka(source);
  }
};
