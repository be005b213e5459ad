import {
  type Affiliate,
  type DistributedService,
  expectStatus,
  startDistributedOverLogBus,
} from '@refledger/testing';
import { storedEvents } from '@refledger/testing/eventstoredb';
import { storedDocuments } from '@refledger/testing/mongodb';
import { present } from '@refledger/testing/present';
import { describeWithServers } from '@refledger/testing/servers';
import { OwingAccount } from '../../src/black-box/payouts/owing-account.js';
import { EchoingHooks } from '../../src/personal-data/echoing-hooks.js';
import { changeOften, live, pay, readAll } from '../../src/personal-data/lives.js';
import { Words, wordsIn } from '../../src/personal-data/words.js';

/**
 * The same as of the files of a standalone service, of everything that the drivers return: names of
 * streams and collections included, and after erasures, too.
 */
describeWithServers(['MongoDB'], 'EventStoreDB and MongoDB', (servers) => {
  const personal = new Words();
  /** In what is not about a person, so that each server has them in the clear. */
  const others = new Words();
  let service: DistributedService;
  let owing: OwingAccount;
  let hooks: EchoingHooks;
  let affiliates: Affiliate[];
  let then: string;
  beforeAll(async () => {
    service = await startDistributedOverLogBus(servers, {
      env: {
        RATE_LIMIT_PER_MINUTE: '0',
        LOG_LEVEL: 'warn',
        WEBHOOK_RETRY_SCHEDULE: '300ms,1h',
        WEBHOOK_DISABLE_AFTER: '0',
      },
    });
    owing = await OwingAccount.open(service);
    hooks = await EchoingHooks.subscribe(owing);
    affiliates = await live(owing, 12, personal.next);
    then = new Date().toISOString();
  });
  afterAll(async () => {
    await service.stop();
    await hooks.close();
  });

  const urlOf = (name: string): string =>
    present(service.engines.find(({ engine }) => engine === name)).url;
  /** Expects no personal word in either server, and the other ones in both. */
  const expectNoPersonalWord = async (): Promise<void> => {
    for (const [server, stored] of [
      ['EventStoreDB', await storedEvents(urlOf('EventStoreDB'))],
      ['MongoDB', await storedDocuments(urlOf('MongoDB'))],
    ] as const) {
      const all = [...stored].map(([name, bytes]) => [name, `${name} `, bytes] as const);
      const found = all.flatMap(([place, name, bytes]) =>
        wordsIn(Buffer.concat([Buffer.from(name), bytes]), personal.all).map((word) => [
          word,
          place,
        ]),
      );
      expect([server, found]).toEqual([server, []]);
      const plain = new Set(all.flatMap(([, , bytes]) => wordsIn(bytes, others.all)));
      expect([server, others.all.filter((word) => !plain.has(word))]).toEqual([server, []]);
    }
    expect(others.all.length).toBeGreaterThan(0);
  };

  it('have no personal value of anyone who exists', async () => {
    const [first] = affiliates as [Affiliate];
    await changeOften(owing, first, personal.next);
    await owing.owe(first, 300, { description: others.next() });
    await owing.account.conversion(first.id, { metadata: { [others.next()]: others.next() } });
    await pay(owing, personal.next);
    await service.caughtUp();
    await readAll(owing, affiliates, then);
    await hooks.readAll();
    await expectNoPersonalWord();
  });

  it('have none after half of them were erased, and what was held was sent', async () => {
    const erased = affiliates.filter((_, n) => n % 2 === 1);
    for (const { id } of erased)
      expectStatus(200, await owing.api.post(`/v1/affiliates/${id}/erase`, undefined));
    await hooks.resume();
    await service.caughtUp();
    await hooks.waitUntilSent();
    await readAll(
      owing,
      affiliates.filter((one) => !erased.includes(one)),
      then,
    );
    await expectNoPersonalWord();
  });
});
