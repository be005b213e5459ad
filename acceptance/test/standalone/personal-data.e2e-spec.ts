import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Affiliate, startStandalone, type StandaloneService } from '@refledger/testing';
import { OwingAccount } from '../../src/black-box/payouts/owing-account.js';
import { EchoingHooks } from '../../src/personal-data/echoing-hooks.js';
import { changeOften, live, pay, readAll, sendRefused } from '../../src/personal-data/lives.js';
import { filesOf, Words, wordsIn } from '../../src/personal-data/words.js';

/**
 * The files, log lines and metrics of a service have no personal value of an affiliate in the clear,
 * whatever happens to it, and even though the receivers of its webhooks return what they get.
 */
describe('the files, log lines and metrics of a service', () => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-personal-'));
  const [dataDir, temporary] = [join(directory, 'data'), join(directory, 'tmp')];
  const personal = new Words();
  /** In descriptions of adjustments, which are not about a person, so that they are found. */
  const others = new Words();
  let service: StandaloneService;
  let owing: OwingAccount;
  let hooks: EchoingHooks;
  let affiliates: Affiliate[];
  let then: string;
  let metrics: string;
  beforeAll(async () => {
    mkdirSync(temporary);
    service = await startStandalone({
      dataDir,
      env: {
        RATE_LIMIT_PER_MINUTE: '0',
        TMPDIR: temporary,
        LOG_LEVEL: 'debug',
        WEBHOOK_RETRY_SCHEDULE: '300ms,1h',
        WEBHOOK_DISABLE_AFTER: '0',
      },
    });
    owing = await OwingAccount.open(service);
    hooks = await EchoingHooks.subscribe(owing);
    affiliates = await live(owing, 20, personal.next);
    then = new Date().toISOString();
  });
  afterAll(async () => {
    await service.kill();
    await hooks.close();
    await rm(directory, { recursive: true, force: true });
  });

  const readEverything = async (): Promise<void> => {
    await service.caughtUp();
    await readAll(owing, affiliates, then);
    await hooks.readAll();
    await sendRefused(owing, personal.next);
    metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
  };
  /** Expects the other words in the files, and no personal one there, in the logs or the metrics. */
  const expectNoPersonalWord = (): void => {
    expect(service.logs()).toContain('"/v1/affiliates/:id/history"');
    expect(metrics).toContain('refledger_personal_keys');
    const files = [
      ...filesOf([dataDir, temporary], service.pid),
      ['the log lines', Buffer.from(service.logs())] as const,
      ['the metrics', Buffer.from(metrics)] as const,
    ];
    const found = files.flatMap(([file, bytes]) =>
      wordsIn(bytes, personal.all).map((word) => `${word} is in ${file}`),
    );
    expect(found).toEqual([]);
    const stored = new Set(files.flatMap(([, bytes]) => wordsIn(bytes, others.all)));
    expect(others.all.filter((word) => !stored.has(word))).toEqual([]);
    expect(others.all.length).toBeGreaterThan(0);
  };

  it('have no personal value while it runs', async () => {
    const [first] = affiliates as [Affiliate];
    await changeOften(owing, first, personal.next);
    await owing.owe(first, 300, { description: others.next() });
    await readEverything();
    await pay(owing, personal.next);
    await readEverything();
    expectNoPersonalWord();
  });

  it('have none after it was killed, and while it runs again', async () => {
    await service.kill();
    expectNoPersonalWord();
    await service.start();
    await readEverything();
    expectNoPersonalWord();
  });

  it('have none after it was stopped, and while it runs again', async () => {
    await service.stop();
    expectNoPersonalWord();
    await service.start();
    await owing.account.update(affiliates.at(-2) as Affiliate, { name: personal.next() });
    await hooks.resume();
    await readEverything();
    expectNoPersonalWord();
  });
});

describe('the search', () => {
  const { all, next } = new Words();
  const [word, other] = [next(), next()];
  it.each([
    ['UTF-8', (text: string) => Buffer.from(text)],
    ['UTF-16', (text: string) => Buffer.from(text, 'utf16le')],
    ['base64', (text: string) => Buffer.from(Buffer.from(text).toString('base64'))],
    ['base64url', (text: string) => Buffer.from(Buffer.from(text).toString('base64url'))],
  ])('finds a word in %s, wherever it is', (_, encode) => {
    for (const before of ['', 'a', 'ab', 'abc', 'abcd'])
      for (const after of ['', 'z', 'zy'])
        expect(wordsIn(encode(`${before}${word}${after}`), all)).toEqual([word]);
    expect(wordsIn(encode(`${word} ${other}`), all).toSorted()).toEqual([...all].toSorted());
    expect(wordsIn(encode(word.slice(0, -2)), all)).toEqual([]);
  });
});
