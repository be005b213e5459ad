import { startEventStoreDbDouble, type DoubleServer } from './double-process.js';

/** Three doubles over one file, one of which leads. */
export interface DoubleCluster {
  readonly nodes: readonly [DoubleServer, DoubleServer, DoubleServer];
  /** A connection string that names all three. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts three doubles and makes the first one the leader. */
export const startEventStoreDbCluster = async (): Promise<DoubleCluster> => {
  const first = await startEventStoreDbDouble();
  const others = await Promise.all([
    startEventStoreDbDouble({ shares: first }),
    startEventStoreDbDouble({ shares: first }),
  ]);
  const nodes = [first, ...others] as const;
  first.lead();
  return {
    nodes,
    url: `esdb://${nodes.map(({ address }) => address).join(',')}?tls=false`,
    stop: async () => {
      for (const node of nodes.toReversed()) await node.stop();
    },
  };
};
