import { embeddedUrls, enginesOf, type Engines } from '@refledger/engines';
import { z } from 'zod';
import { duration, durationOrNever, flag, integer, schedule, secretsKeys } from './fields.js';

/** The bounds of a request's wait. */
const timeout = { min: '1ms', max: '5m' };
/** Up to ten years. */
const retention = { min: '1s', max: '87600h' };

/**
 * Every environment variable that the service reads. A test keeps the table in
 * docs/configuration.md in sync with it.
 */
export const environmentSchema = z.object({
  PORT: integer(0, 65_535)
    .prefault('3000')
    .describe('Port of the HTTP interface; 0 chooses a free one.'),
  HOST: z.string().min(1).default('127.0.0.1').describe('Listen address of the HTTP interface.'),
  DATA_DIR: z.string().min(1).default('.data').describe('Directory of the embedded engines.'),
  EVENT_LOG_URL: z
    .string()
    .default(embeddedUrls.EVENT_LOG_URL)
    .describe(
      'Engine of the event log: `sqlite:`, or `esdb://…` (EventStoreDB; user, password and TLS as in its connection strings).',
    ),
  READ_STORE_URL: z
    .string()
    .default(embeddedUrls.READ_STORE_URL)
    .describe('Engine of the read models: `sqlite:`, or `mongodb://…`.'),
  DELIVERY_STORE_URL: z
    .string()
    .optional()
    .describe(
      'Engine of the deliveries: the same engine as in `READ_STORE_URL`, which is also the default value; on MongoDB it may name another database or server.',
    ),
  KEY_STORE_URL: z
    .string()
    .optional()
    .describe(
      'Engine of the keys that seal personal data: the same engine as in `DELIVERY_STORE_URL`, which is also the default value; on MongoDB it may name another database or server.',
    ),
  EVENT_BUS_URL: z
    .string()
    .default(embeddedUrls.EVENT_BUS_URL)
    .describe(
      'Engine of the event bus: `log:` (the event log itself), or `kafka://b1:9092,b2:9092`.',
    ),
  KAFKA_PARTITIONS: integer(1, 1_000)
    .prefault('12')
    .describe('Partitions of a topic that the relay creates.'),
  KAFKA_REPLICATION_FACTOR: integer(1, 9)
    .optional()
    .describe("Replication factor of a topic that the relay creates; defaults to the broker's."),
  BOOTSTRAP_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 printable characters without spaces')
    .optional()
    .describe(
      'Operator key of the first account; by default generated and kept in the data directory (required with EventStoreDB).',
    ),
  SECRETS_KEY: secretsKeys.describe(
    'Key that seals webhook secrets and wraps the keys of personal data, 32 bytes in base64. Separate several keys with commas; the first one seals. Defaults to a key file in the data directory (required with EventStoreDB).',
  ),
  RATE_LIMIT_PER_MINUTE: integer(0, 10_000_000)
    .prefault('6000')
    .describe('Requests per minute for each key on each gateway; 0 means no limit.'),
  AUTH_FAILURES_PER_MINUTE: integer(0, 10_000_000)
    .prefault('300')
    .describe(
      'Failed authentications per minute for each remote address on each gateway; 0 means no limit.',
    ),
  MAX_BODY_BYTES: integer(1, 1_048_576)
    .prefault('65536')
    .describe('Largest request body, in bytes.'),
  IMPORT_MAX_BYTES: integer(1, 1_073_741_824)
    .prefault('67108864')
    .describe('Largest body of an import, in bytes.'),
  CONSISTENCY_TIMEOUT: duration(
    '2s',
    timeout,
    "How long a read waits for the account's last write",
  ),
  PAYOUT_CONSISTENCY_TIMEOUT: duration(
    '10s',
    timeout,
    'How long a payout waits for the ledger to post everything that was recorded before it',
  ),
  PROGRAM_AUTO_REGISTER: flag(true).describe(
    'Whether the first affiliate of an unknown program registers it.',
  ),
  WEBHOOK_TIMEOUT: duration(
    '10s',
    { min: '100ms', max: '5m' },
    'Time limit of one attempt as a whole',
  ),
  WEBHOOK_RETRY_SCHEDULE: schedule(
    '5s,30s,2m,10m,30m,1h,3h,6h,12h,24h,24h',
    { min: '1ms', max: '720h' },
    'Waits before the second, third, … attempt',
  ),
  WEBHOOK_ALLOW_PRIVATE_TARGETS: z
    .enum(['false', 'loopback', 'true'], 'must be false, loopback or true')
    .optional()
    .describe(
      'Whether webhooks may go to addresses that are not public; `loopback` by default when the service itself listens on loopback only.',
    ),
  WEBHOOK_MAX_IN_FLIGHT: integer(4, 100_000)
    .prefault('512')
    .describe('Requests in flight from one webhook-dispatcher, across all endpoints.'),
  WEBHOOK_MAX_IN_FLIGHT_PER_ENDPOINT: integer(1, 10_000)
    .prefault('64')
    .describe(
      'Requests in flight to one endpoint; it starts with up to 8, and gets more while it responds quickly.',
    ),
  WEBHOOK_DISABLE_AFTER: durationOrNever(
    '60h',
    retention,
    'How long attempts to an endpoint may fail before it is disabled and its deliveries are held',
  ),
  DELIVERY_RETENTION: duration('720h', retention, 'How long finished deliveries are kept'),
  HELD_RETENTION: duration(
    '720h',
    retention,
    'How long deliveries are held while their endpoint is not enabled, before they are canceled',
  ),
  OUTGOING: z
    .enum(['on', 'off'], 'must be on or off')
    .default('on')
    .describe(
      'Whether anything is sent to others. With `off`, for a copy that is only tried, deliveries are planned and wait, and neither webhooks, tests and replays nor events for the bus are sent.',
    ),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    )
    .default('info')
    .describe('Lowest level that is logged.'),
  OPS_PORT: integer(0, 65_535)
    .optional()
    .describe('Port for health checks and metrics; none by default, and 0 chooses a free one.'),
});

/**
 * The configuration of a service: read once, complete and validated. Durations are in milliseconds.
 */
export type Config = Readonly<ReturnType<typeof configOf>>;

/**
 * Thrown when one or more variables are bad. The message names each one and what is expected, and
 * never shows its value.
 */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(
      `the configuration is invalid. Correct these variables:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
    this.name = 'ConfigError';
  }
}

/** Reads it from the environment; empty variables count as unset. Throws `ConfigError`. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const read = environmentSchema.safeParse(set);
  const engines = enginesOf(set);
  const missing = missingSecrets(engines, set);
  if (!read.success || 'problems' in engines || missing.length > 0) {
    throw new ConfigError([
      ...(read.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`),
      ...('problems' in engines ? engines.problems : []),
      ...missing.map(
        (name) =>
          `${name} is required with EventStoreDB, since the services share no data directory`,
      ),
    ]);
  }
  return configOf(read.data, engines);
};

const missingSecrets = (
  engines: ReturnType<typeof enginesOf>,
  set: Readonly<Record<string, unknown>>,
): readonly string[] =>
  'mode' in engines && engines.mode === 'distributed'
    ? sharedSecrets.filter((name) => !(name in set))
    : [];

/** The secrets that the embedded service generates itself and keeps in its data directory. */
const sharedSecrets = ['SECRETS_KEY', 'BOOTSTRAP_API_KEY'] as const;

const configOf = (env: z.infer<typeof environmentSchema>, engines: Engines) => ({
  engines,
  kafka: { partitions: env.KAFKA_PARTITIONS, replicationFactor: env.KAFKA_REPLICATION_FACTOR },
  http: {
    port: env.PORT,
    host: env.HOST,
    maxBodyBytes: env.MAX_BODY_BYTES,
    maxImportBytes: env.IMPORT_MAX_BYTES,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    authFailuresPerMinute: env.AUTH_FAILURES_PER_MINUTE,
    consistencyTimeoutMs: env.CONSISTENCY_TIMEOUT,
    payoutConsistencyTimeoutMs: env.PAYOUT_CONSISTENCY_TIMEOUT,
  },
  dataDir: env.DATA_DIR,
  bootstrapApiKey: env.BOOTSTRAP_API_KEY,
  secretsKeys: env.SECRETS_KEY,
  programAutoRegister: env.PROGRAM_AUTO_REGISTER,
  webhooks: {
    timeoutMs: env.WEBHOOK_TIMEOUT,
    retrySchedule: env.WEBHOOK_RETRY_SCHEDULE,
    limits: {
      perEndpoint: env.WEBHOOK_MAX_IN_FLIGHT_PER_ENDPOINT,
      total: env.WEBHOOK_MAX_IN_FLIGHT,
    },
    disableAfterMs: env.WEBHOOK_DISABLE_AFTER,
    retentionMs: env.DELIVERY_RETENTION,
    heldRetentionMs: env.HELD_RETENTION,
    privateTargets:
      env.WEBHOOK_ALLOW_PRIVATE_TARGETS ?? (isLoopback(env.HOST) ? 'loopback' : 'false'),
  },
  outgoing: env.OUTGOING,
  logLevel: env.LOG_LEVEL,
  opsPort: env.OPS_PORT,
});

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
