import { z } from 'zod';
import { parseDuration } from './duration.js';
import { defaultUrls, enginesOf, type Engines } from './engines.js';
import { decodeSecretsKey } from './secrets-key.js';

const duration = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform(
      (value, issues) =>
        parseDuration(value) ??
        (issues.addIssue({
          code: 'custom',
          message: 'must be a duration such as 200ms, 5s, 2m or 10h',
        }),
        z.NEVER),
    );

const integer = (min: number, max: number) => {
  const error = `must be an integer from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, error)
    .transform(Number)
    .refine((value) => value >= min && value <= max, error);
};

const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true');

const secretsKeys = z
  .string()
  .optional()
  .transform((value, issues) =>
    value?.split(',').map(
      (key) =>
        decodeSecretsKey(key.trim()) ??
        (issues.addIssue({
          code: 'custom',
          message:
            'must be 32 bytes in base64 (as `openssl rand -base64 32` prints them), several separated by commas',
        }),
        z.NEVER),
    ),
  );

const schedule = z
  .string()
  .default('5s,30s,2m,10m,30m,1h,3h,6h,12h,24h,24h')
  .transform((value, issues) =>
    value.split(',').map(
      (step) =>
        parseDuration(step.trim()) ??
        (issues.addIssue({
          code: 'custom',
          message: `must be durations separated by commas, got ${JSON.stringify(step)}`,
        }),
        0),
    ),
  );

/**
 * Every environment variable that the service reads. A test keeps the table in
 * docs/configuration.md equal to it.
 */
export const environmentSchema = z.object({
  PORT: integer(0, 65_535)
    .prefault('3000')
    .describe('Port of the HTTP interface; 0 takes a free one.'),
  HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address that the HTTP interface listens on.'),
  DATA_DIR: z.string().min(1).default('.data').describe('Folder of the embedded engines.'),
  EVENT_LOG_URL: z
    .string()
    .default(defaultUrls.EVENT_LOG_URL)
    .describe(
      'Engine of the event log: `sqlite:`, or `esdb://…` (EventStoreDB; user, password and TLS as in its connection strings).',
    ),
  READ_STORE_URL: z
    .string()
    .default(defaultUrls.READ_STORE_URL)
    .describe('Engine of the read models and deliveries: `sqlite:`, or `mongodb://…`.'),
  EVENT_BUS_URL: z
    .string()
    .default(defaultUrls.EVENT_BUS_URL)
    .describe(
      'Engine of the event bus: `log:`, the event log itself, or `kafka://b1:9092,b2:9092`.',
    ),
  KAFKA_PARTITIONS: integer(1, 1_000)
    .prefault('12')
    .describe('Partitions of a topic that the relay creates.'),
  KAFKA_REPLICATION_FACTOR: integer(1, 9)
    .optional()
    .describe("Copies of a topic that the relay creates; the broker's own default unless set."),
  BOOTSTRAP_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 printable characters without spaces')
    .optional()
    .describe(
      'Operator key of the first account; made and kept in a file of the data folder when left out (required with EventStoreDB).',
    ),
  SECRETS_KEY: secretsKeys.describe(
    '32 bytes in base64 that seal webhook secrets; several separated by commas: the first seals. A key file in the data folder when left out (required with EventStoreDB).',
  ),
  RATE_LIMIT_PER_MINUTE: integer(0, 10_000_000)
    .prefault('6000')
    .describe('Requests per key, gateway and minute; 0 turns the limit off.'),
  AUTH_FAILURES_PER_MINUTE: integer(0, 10_000_000)
    .prefault('300')
    .describe(
      'Failed authentications per remote address, gateway and minute; 0 turns the limit off.',
    ),
  MAX_BODY_BYTES: integer(1, 1_048_576).prefault('65536').describe('Largest request body.'),
  CONSISTENCY_TIMEOUT: duration('2s').describe(
    "How long a read waits for the account's last write.",
  ),
  PROGRAM_AUTO_REGISTER: flag(true).describe(
    'Whether the first affiliate of an unknown program registers it.',
  ),
  WEBHOOK_TIMEOUT: duration('10s').describe('Deadline over all of one attempt.'),
  WEBHOOK_RETRY_SCHEDULE: schedule.describe('Waits before each further attempt.'),
  WEBHOOK_ALLOW_PRIVATE_TARGETS: z
    .enum(['false', 'loopback', 'true'], 'must be false, loopback or true')
    .optional()
    .describe(
      'Whether webhooks may go to addresses that are not public; `loopback` by default when the service itself listens on loopback only.',
    ),
  DELIVERY_RETENTION: duration('720h').describe('How long finished deliveries are kept.'),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    )
    .default('info')
    .describe('What is logged at least.'),
  OPS_PORT: integer(0, 65_535).optional().describe('Port of health and metrics; off unless set.'),
});

/** The private addresses that webhooks may go to: none, loopback only, or all. */
export type PrivateTargets = 'false' | 'loopback' | 'true';

/**
 * The configuration of a service: read once, complete and validated. Durations are in milliseconds.
 */
export interface Config {
  readonly engines: Engines;
  readonly kafka: { readonly partitions: number; readonly replicationFactor: number | undefined };
  readonly http: {
    readonly port: number;
    readonly host: string;
    readonly maxBodyBytes: number;
    readonly rateLimitPerMinute: number;
    readonly authFailuresPerMinute: number;
    readonly consistencyTimeoutMs: number;
  };
  readonly dataDir: string;
  readonly bootstrapApiKey: string | undefined;
  readonly secretsKeys: readonly Buffer[] | undefined;
  readonly programAutoRegister: boolean;
  readonly webhooks: {
    readonly timeoutMs: number;
    readonly retrySchedule: readonly number[];
    readonly privateTargets: PrivateTargets;
    readonly retentionMs: number;
  };
  readonly logLevel: string;
  readonly opsPort: number | undefined;
}

/**
 * Thrown when one or more variables are bad. The message names each with what would be right, and
 * never shows its value.
 */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(
      `the configuration can't be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
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
          `${name} is required with EventStoreDB: there is no data folder that every process could share it by`,
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

/** The secrets that the embedded service generates itself and keeps in its data folder. */
const sharedSecrets = ['SECRETS_KEY', 'BOOTSTRAP_API_KEY'] as const;

const configOf = (env: z.infer<typeof environmentSchema>, engines: Engines): Config => ({
  engines,
  kafka: { partitions: env.KAFKA_PARTITIONS, replicationFactor: env.KAFKA_REPLICATION_FACTOR },
  http: {
    port: env.PORT,
    host: env.HOST,
    maxBodyBytes: env.MAX_BODY_BYTES,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    authFailuresPerMinute: env.AUTH_FAILURES_PER_MINUTE,
    consistencyTimeoutMs: env.CONSISTENCY_TIMEOUT,
  },
  dataDir: env.DATA_DIR,
  bootstrapApiKey: env.BOOTSTRAP_API_KEY,
  secretsKeys: env.SECRETS_KEY,
  programAutoRegister: env.PROGRAM_AUTO_REGISTER,
  webhooks: {
    timeoutMs: env.WEBHOOK_TIMEOUT,
    retrySchedule: env.WEBHOOK_RETRY_SCHEDULE,
    retentionMs: env.DELIVERY_RETENTION,
    privateTargets:
      env.WEBHOOK_ALLOW_PRIVATE_TARGETS ?? (isLoopback(env.HOST) ? 'loopback' : 'false'),
  },
  logLevel: env.LOG_LEVEL,
  opsPort: env.OPS_PORT,
});

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
