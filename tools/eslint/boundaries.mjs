/** The drivers. Each key is the adapter folder that alone may import the driver. */
export const drivers = {
  sqlite: '@photostructure/sqlite',
  eventstoredb: '@eventstore/db-client',
  mongodb: 'mongodb',
  kafka: 'kafkajs',
};
export const driverNames = Object.values(drivers);
const nest = ['@nestjs/*'];
const layer = (name, on, banned = []) => ({
  sourceTag: `lib:${name}`,
  onlyDependOnLibsWithTags: on.map((lib) => `lib:${lib}`),
  bannedExternalImports: banned,
});

/** The libraries that each library, program and tool may import. */
export const boundaries = [
  layer('contracts', ['contracts'], [...nest, ...driverNames]),
  layer('domain', ['contracts'], [...nest, ...driverNames]),
  layer('sqlite', ['sqlite'], nest),
  layer('mongodb', [], nest),
  layer('engines', [], [...nest, ...driverNames]),
  layer('key-store', ['contracts', 'engines', 'sqlite', 'mongodb', 'testing'], nest),
  layer(
    'personal-data',
    ['contracts', 'domain', 'sealing', 'key-store'],
    [...nest, ...driverNames],
  ),
  layer('sealing', ['contracts'], [...nest, ...driverNames]),
  layer('event-log', ['contracts', 'domain', 'engines', 'sqlite', 'testing'], nest),
  layer(
    'application',
    [
      'contracts',
      'domain',
      'engines',
      'event-log',
      'read-store',
      'sealing',
      'key-store',
      'personal-data',
      'testing',
    ],
    [...nest, ...driverNames],
  ),
  layer('read-store', ['contracts', 'engines', 'sqlite', 'mongodb', 'testing'], nest),
  layer(
    'event-bus',
    ['contracts', 'domain', 'engines', 'event-log', 'application', 'personal-data', 'testing'],
    nest,
  ),
  layer(
    'projections',
    ['contracts', 'domain', 'engines', 'event-log', 'read-store', 'testing'],
    [...nest, ...driverNames],
  ),
  layer(
    'balances',
    [
      'contracts',
      'domain',
      'engines',
      'event-log',
      'application',
      'key-store',
      'read-store',
      'projections',
      'testing',
    ],
    [...nest, ...driverNames],
  ),
  layer(
    'queries',
    [
      'contracts',
      'domain',
      'event-log',
      'application',
      'personal-data',
      'balances',
      'read-store',
      'projections',
      'delivery-store',
    ],
    [...nest, 'fastify', ...driverNames],
  ),
  layer(
    'delivery-store',
    ['contracts', 'engines', 'sqlite', 'mongodb', 'event-bus', 'testing'],
    nest,
  ),
  layer('key-store', ['contracts', 'engines', 'sqlite', 'mongodb', 'testing'], nest),
  layer(
    'webhook-endpoints',
    [
      'contracts',
      'domain',
      'engines',
      'event-log',
      'application',
      'event-bus',
      'delivery-store',
      'sealing',
      'testing',
    ],
    [...nest, ...driverNames],
  ),
  layer(
    'webhooks',
    [
      'contracts',
      'domain',
      'engines',
      'event-log',
      'application',
      'event-bus',
      'personal-data',
      'projections',
      'delivery-store',
      'webhook-endpoints',
      'sealing',
      'testing',
    ],
    // test/kafka watches the dispatchers' consumer group
    [...nest, ...driverNames.filter((name) => name !== drivers.kafka)],
  ),
  layer(
    'operator',
    ['contracts', 'domain', 'engines', 'event-log', 'application', 'balances', 'sqlite'],
    [...nest, ...driverNames],
  ),
  layer('platform', ['contracts', 'engines', 'event-log'], driverNames),
  layer('testing', ['sqlite']),
  {
    sourceTag: 'type:simulation',
    onlyDependOnLibsWithTags: ['lib:contracts', 'lib:event-log', 'lib:key-store', 'lib:read-store'],
    bannedExternalImports: [...nest, ...driverNames],
  },
  {
    sourceTag: 'type:acceptance',
    onlyDependOnLibsWithTags: ['lib:engines', 'lib:event-log', 'lib:testing'],
    bannedExternalImports: driverNames,
  },
  {
    sourceTag: 'type:tool',
    onlyDependOnLibsWithTags: ['lib:*', 'type:acceptance'],
    bannedExternalImports: driverNames,
  },
  {
    sourceTag: 'type:app',
    onlyDependOnLibsWithTags: ['lib:*'],
    bannedExternalImports: driverNames,
  },
  {
    sourceTag: 'type:standalone',
    onlyDependOnLibsWithTags: ['lib:*', 'type:app'],
    bannedExternalImports: driverNames,
  },
];
/**
 * The boundaries of tests: only they may import the simulation, and any may import libs/testing. Those
 * of the ledger make affiliates with real keys, which the ledger itself must not open.
 */
export const boundariesOfTests = boundaries.map((boundary) => ({
  ...boundary,
  onlyDependOnLibsWithTags: [
    ...boundary.onlyDependOnLibsWithTags,
    ...(boundary.sourceTag === 'lib:balances' ? ['lib:personal-data', 'lib:sealing'] : []),
    'lib:testing',
    'type:simulation',
  ],
}));
