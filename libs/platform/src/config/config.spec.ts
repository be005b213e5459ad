import { ConfigError, environmentSchema, readConfig } from './config.js';
import { parseDuration } from './duration.js';

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
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      engines: { mode: 'embedded' },
      http: { port: 3000, host: '127.0.0.1', maxBodyBytes: 65_536, rateLimitPerMinute: 6000, consistencyTimeoutMs: 2_000 },
      dataDir: '.data',
      programAutoRegister: true,
      webhooks: { timeoutMs: 10_000, privateTargets: 'loopback', retentionMs: 720 * 3_600_000 },
      logLevel: 'info',
    });
    expect(readConfig({}).webhooks.retrySchedule).toEqual([5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 86_400].map((seconds) => seconds * 1_000));
  });

  it('counts an empty variable as unset', () => {
    expect(readConfig({ PORT: '', SECRETS_KEY: '' }).http.port).toBe(3000);
  });

  it('allows private targets by default only when it listens on loopback', () => {
    expect(readConfig({ HOST: '0.0.0.0' }).webhooks.privateTargets).toBe('false');
    expect(readConfig({ HOST: '::1' }).webhooks.privateTargets).toBe('loopback');
    expect(readConfig({ HOST: '0.0.0.0', WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' }).webhooks.privateTargets).toBe('true');
  });

  it('names every bad variable at once and never a value that could be secret', () => {
    const problems = problemsOf({ PORT: 'many', WEBHOOK_TIMEOUT: '10', BOOTSTRAP_API_KEY: 'tooshort', SECRETS_KEY: 'c2hvcnQ=', LOG_LEVEL: 'loud', WEBHOOK_RETRY_SCHEDULE: '5s,soon', EVENT_LOG_URL: 'esdb://x' });
    expect(problems.map((problem) => problem.split(' ')[0]).sort()).toEqual(['BOOTSTRAP_API_KEY', 'EVENT_LOG_URL', 'LOG_LEVEL', 'PORT', 'SECRETS_KEY', 'WEBHOOK_RETRY_SCHEDULE', 'WEBHOOK_TIMEOUT']);
    expect(problems.join()).not.toMatch(/tooshort|c2hvcnQ=/);
  });

  it('takes several secret keys, the first of which seals', () => {
    const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    expect(readConfig({ SECRETS_KEY: `${first.toString('base64')},${second.toString('base64')}` }).secretsKeys).toEqual([first, second]);
  });

  it.each(['short', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64'), `${Buffer.alloc(32).toString('base64')}x`, Buffer.alloc(32).toString('hex')])('refuses the secret key %s', (bad) => {
    expect(problemsOf({ SECRETS_KEY: `${Buffer.alloc(32).toString('base64')},${bad}` })).toEqual([expect.stringMatching(/^SECRETS_KEY must be 32 bytes in base64/)]);
  });

  it.each([
    { EVENT_LOG_URL: 'esdb://admin:hunter2@db:2113' },
    { READ_STORE_URL: 'mongodb://user:hunter2@db' },
    { EVENT_BUS_URL: 'kafka://b1:9092' },
    { EVENT_LOG_URL: 'nonsense' },
    { EVENT_LOG_URL: 'sqlite:/var/lib/events.db' },
  ] as Record<string, string>[])('refuses engines that it does not have: %j', (environment) => {
    const [problem] = problemsOf(environment);
    expect(problem).toMatch(/^\w+_URL supports (sqlite|log): in this release/);
    expect(problem).not.toContain('hunter2');
  });

  it('describes every variable', () => {
    for (const [name, schema] of Object.entries(environmentSchema.shape)) expect([name, schema.description]).toEqual([name, expect.stringMatching(/\.$/)]);
  });
});

it.each([['200ms', 200], ['5s', 5_000], ['2m', 120_000], ['10h', 36_000_000], ['5', undefined], ['5 s', undefined], ['-5s', undefined], ['1d', undefined], ['', undefined]])('parseDuration(%j) is %j', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});
