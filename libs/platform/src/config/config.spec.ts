import { z } from 'zod';
import { ConfigError, environmentSchema, readConfig } from './config.js';

const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('readConfig', () => {
  it('has a default for every variable', () => {
    expect(readConfig({})).toMatchObject({
      engines: { mode: 'embedded' },
      http: {
        port: 3000,
        host: '127.0.0.1',
        maxBodyBytes: 65_536,
        maxImportBytes: 67_108_864,
        rateLimitPerMinute: 6000,
        authFailuresPerMinute: 300,
        consistencyTimeoutMs: 2_000,
        payoutConsistencyTimeoutMs: 10_000,
      },
      dataDir: '.data',
      programAutoRegister: true,
      webhooks: {
        timeoutMs: 10_000,
        privateTargets: 'loopback',
        limits: { perEndpoint: 64, total: 512 },
        retentionMs: 720 * 3_600_000,
        heldRetentionMs: 720 * 3_600_000,
        disableAfterMs: 60 * 3_600_000,
      },
      outgoing: 'on',
      logLevel: 'info',
    });
    expect(readConfig({}).webhooks.retrySchedule).toEqual(
      [5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 86_400].map(
        (seconds) => seconds * 1_000,
      ),
    );
  });

  it('counts an empty variable as unset', () => {
    expect(readConfig({ PORT: '', SECRETS_KEY: '' }).http.port).toBe(3000);
  });

  it('allows private targets by default only when it listens on loopback', () => {
    expect(readConfig({ HOST: '0.0.0.0' }).webhooks.privateTargets).toBe('false');
    expect(readConfig({ HOST: '::1' }).webhooks.privateTargets).toBe('loopback');
    expect(
      readConfig({ HOST: '0.0.0.0', WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' }).webhooks
        .privateTargets,
    ).toBe('true');
  });

  it('names every invalid variable at once, and no value that could be secret', () => {
    const problems = problemsOf({
      PORT: 'many',
      OUTGOING: 'maybe',
      WEBHOOK_TIMEOUT: '10',
      BOOTSTRAP_API_KEY: 'tooshort',
      SECRETS_KEY: 'c2hvcnQ=',
      LOG_LEVEL: 'loud',
      WEBHOOK_RETRY_SCHEDULE: '5s,soon',
      EVENT_LOG_URL: 'mysql://x',
      KAFKA_PARTITIONS: '0',
    });
    expect(problems.map((problem) => problem.split(' ')[0]).sort()).toEqual([
      'BOOTSTRAP_API_KEY',
      'EVENT_LOG_URL',
      'KAFKA_PARTITIONS',
      'LOG_LEVEL',
      'OUTGOING',
      'PORT',
      'SECRETS_KEY',
      'WEBHOOK_RETRY_SCHEDULE',
      'WEBHOOK_TIMEOUT',
    ]);
    expect(problems.join()).not.toMatch(/tooshort|c2hvcnQ=/);
  });

  it.each([
    ['CONSISTENCY_TIMEOUT', '1ms', '5m', ['0s', '0', '300001ms']],
    ['PAYOUT_CONSISTENCY_TIMEOUT', '1ms', '5m', ['0ms', '6m']],
    ['WEBHOOK_TIMEOUT', '100ms', '5m', ['0s', '99ms', '300001ms', '600h', '999999999h']],
    ['WEBHOOK_RETRY_SCHEDULE', '1ms', '720h', ['5s,0s', '5s,721h']],
    ['WEBHOOK_DISABLE_AFTER', '1s', '87600h', ['0s', '999ms', '87601h']],
    ['DELIVERY_RETENTION', '1s', '87600h', ['0', '0h', '999999999h']],
    ['HELD_RETENTION', '1s', '87600h', ['0', '0h', '87601h']],
  ] as const)('%s is from %s to %s, and says so', (name, min, max, others) => {
    for (const bound of [min, max]) expect(problemsOf({ [name]: bound })).toEqual([]);
    for (const other of others)
      expect(problemsOf({ [name]: other })).toEqual([
        expect.stringMatching(new RegExp(`^${name} must be .* from ${min} to ${max}\\b`)),
      ]);
    expect(environmentSchema.shape[name].description).toContain(`${min} to ${max}`);
  });

  it('never disables an endpoint as failing when that is set to 0', () => {
    expect(readConfig({ WEBHOOK_DISABLE_AFTER: '0' }).webhooks.disableAfterMs).toBe(0);
    expect(environmentSchema.shape.WEBHOOK_DISABLE_AFTER.description).toMatch(/`0`.* never/);
  });

  it('describes the bounds of every duration', () => {
    const fields = z.toJSONSchema(environmentSchema, { io: 'input', unrepresentable: 'any' });
    const durations = Object.values(fields.properties ?? {}).flatMap((field) =>
      typeof field === 'object' && /^\d+(ms|s|m|h)\b/.test(String(field.default)) ? [field] : [],
    );
    expect(durations).toHaveLength(7);
    for (const { description } of durations)
      expect(description).toMatch(/; (each )?\d+(ms|s) to \d+[mh]\b.*\.$/);
  });

  it('accepts several secret keys, of which the first seals', () => {
    const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    expect(
      readConfig({ SECRETS_KEY: `${first.toString('base64')},${second.toString('base64')}` })
        .secretsKeys,
    ).toEqual([first, second]);
  });

  it.each([
    'short',
    Buffer.alloc(31).toString('base64'),
    Buffer.alloc(33).toString('base64'),
    `${Buffer.alloc(32).toString('base64')}x`,
    Buffer.alloc(32).toString('hex'),
  ])('rejects the secret key %s', (bad) => {
    expect(problemsOf({ SECRETS_KEY: `${Buffer.alloc(32).toString('base64')},${bad}` })).toEqual([
      expect.stringMatching(/^SECRETS_KEY must be one or more keys of 32 bytes in base64/),
    ]);
  });

  describe('engines', () => {
    const secrets = {
      SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
      BOOTSTRAP_API_KEY: 'printable-and-long',
    };
    const distributed = {
      ...secrets,
      EVENT_LOG_URL: 'esdb://admin:hunter2@db:2113?tls=true',
      READ_STORE_URL: 'mongodb://user:hunter2@db/refledger',
    };

    it('are all embedded, or EventStoreDB and MongoDB with the log or Kafka as the bus', () => {
      expect(
        readConfig({ EVENT_LOG_URL: 'sqlite:', READ_STORE_URL: 'sqlite:', EVENT_BUS_URL: 'log:' })
          .engines,
      ).toEqual({
        mode: 'embedded',
        eventLogUrl: 'sqlite:',
        readStoreUrl: 'sqlite:',
        deliveryStoreUrl: 'sqlite:',
        keyStoreUrl: 'sqlite:',
        eventBusUrl: 'log:',
      });
      const engines = {
        mode: 'distributed',
        eventLogUrl: distributed.EVENT_LOG_URL,
        readStoreUrl: distributed.READ_STORE_URL,
        deliveryStoreUrl: distributed.READ_STORE_URL,
        keyStoreUrl: distributed.READ_STORE_URL,
      };
      expect(readConfig(distributed)).toMatchObject({
        engines: { ...engines, eventBusUrl: 'log:' },
        kafka: { partitions: 12, replicationFactor: undefined },
      });
      expect(
        readConfig({
          ...distributed,
          EVENT_BUS_URL: 'kafka://b1:9092,b2:9093',
          KAFKA_PARTITIONS: '3',
          KAFKA_REPLICATION_FACTOR: '2',
        }),
      ).toMatchObject({
        engines: { ...engines, eventBusUrl: 'kafka://b1:9092,b2:9093' },
        kafka: { partitions: 3, replicationFactor: 2 },
      });
    });

    it('may keep deliveries in a different database, or on a different server, from the read models', () => {
      const DELIVERY_STORE_URL = 'mongodb://deliveries/refledger';
      expect(readConfig({ ...distributed, DELIVERY_STORE_URL }).engines).toMatchObject({
        readStoreUrl: distributed.READ_STORE_URL,
        deliveryStoreUrl: DELIVERY_STORE_URL,
        keyStoreUrl: DELIVERY_STORE_URL,
      });
    });

    it('may keep the keys of personal data in a database of their own', () => {
      const KEY_STORE_URL = 'mongodb://keys/refledger';
      expect(readConfig({ ...distributed, KEY_STORE_URL }).engines).toMatchObject({
        deliveryStoreUrl: distributed.READ_STORE_URL,
        keyStoreUrl: KEY_STORE_URL,
      });
    });

    it.each(['esdb+discover://a:1,b:2', 'kurrentdb://a:1', 'kurrentdb+discover://a'])(
      'accept the connection string %s',
      (EVENT_LOG_URL) => {
        expect(readConfig({ ...distributed, EVENT_LOG_URL }).engines).toMatchObject({
          mode: 'distributed',
          eventLogUrl: EVENT_LOG_URL,
        });
      },
    );

    it.each([
      [{ EVENT_LOG_URL: distributed.EVENT_LOG_URL }, ['READ_STORE_URL']],
      [{ READ_STORE_URL: distributed.READ_STORE_URL }, ['READ_STORE_URL']],
      [
        { READ_STORE_URL: distributed.READ_STORE_URL, EVENT_BUS_URL: 'kafka://b1:9092' },
        ['READ_STORE_URL', 'EVENT_BUS_URL'],
      ],
      [{ ...distributed, EVENT_BUS_URL: 'kafka://b1' }, ['EVENT_BUS_URL']],
      [{ ...distributed, EVENT_BUS_URL: 'kafka://user:hunter2@b1:9092' }, ['EVENT_BUS_URL']],
      [{ ...distributed, READ_STORE_URL: 'postgres://user:hunter2@db' }, ['READ_STORE_URL']],
      [{ ...distributed, DELIVERY_STORE_URL: 'sqlite:' }, ['DELIVERY_STORE_URL']],
      [{ DELIVERY_STORE_URL: distributed.READ_STORE_URL }, ['DELIVERY_STORE_URL']],
      [{ ...distributed, KEY_STORE_URL: 'sqlite:' }, ['KEY_STORE_URL']],
      [{ KEY_STORE_URL: distributed.READ_STORE_URL }, ['KEY_STORE_URL']],
      [{ EVENT_LOG_URL: 'nonsense' }, ['EVENT_LOG_URL']],
      [{ EVENT_LOG_URL: 'esdb://' }, ['EVENT_LOG_URL']],
      [{ EVENT_LOG_URL: 'sqlite:/var/lib/events.db' }, ['EVENT_LOG_URL']],
    ] as [Record<string, string>, string[]][])(
      'in unsupported combinations are rejected, and the error names the supported ones: %j',
      (environment, names) => {
        const problems = problemsOf({ ...secrets, ...environment });
        expect(problems.map((problem) => problem.split(' ')[0])).toEqual(names);
        for (const problem of problems)
          expect(problem).toMatch(/^\w+ supports (exactly )?(sqlite|esdb|mongodb|kafka|log):/);
        expect(problems.join()).not.toContain('hunter2');
      },
    );

    it('that are distributed require the secrets that embedded ones keep in the data directory', () => {
      expect(problemsOf({ ...distributed, SECRETS_KEY: '', BOOTSTRAP_API_KEY: '' })).toEqual([
        expect.stringMatching(/^SECRETS_KEY is required/),
        expect.stringMatching(/^BOOTSTRAP_API_KEY is required/),
      ]);
    });
  });

  it('describes every variable', () => {
    for (const [name, schema] of Object.entries(environmentSchema.shape))
      expect([name, schema.description]).toEqual([name, expect.stringMatching(/\.$/)]);
  });
});
