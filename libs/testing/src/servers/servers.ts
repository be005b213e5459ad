import { chooseServer, type OptionalEngine, type ServerSource } from './choose-server.js';
import { startKafka } from './kafka-server.js';
import { startMongodb, type MongodbServerOptions } from './mongodb-server.js';
import type { TestServer } from '../test-server.js';

/**
 * Starts servers of these engines. This is the only way to start one. A suite gets its `Servers`
 * from `describeWithServers`, which skips the suite when one of the servers is missing.
 */
export interface Servers<E extends OptionalEngine> {
  // a property, not a method, so that servers of fewer engines are not assignable to these
  readonly start: (engine: E, options?: MongodbServerOptions) => Promise<TestServer>;
}

/** How a suite uses its servers. */
export interface ServerUse {
  /** Whether the suite kills or suspends servers. Then a server from the environment is refused. */
  readonly isDestructive?: boolean;
}

/** Returns the servers of these engines. `missing` says why some of them are not available. */
export const findServers = <E extends OptionalEngine>(
  engines: readonly E[],
  { isDestructive = false }: ServerUse = {},
): Servers<E> & { readonly missing: string | undefined } => {
  const choices = new Map(engines.map((engine) => [engine, chooseServer(engine)]));
  const reasons = [...choices].flatMap(([engine, choice]) => {
    if (choice.from === 'nowhere') return [choice.reason];
    return isDestructive && choice.from === 'environment'
      ? [`the ${engine} from the environment may not be killed or suspended`]
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
