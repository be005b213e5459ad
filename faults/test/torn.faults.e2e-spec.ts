import {
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random, testSeed, type StandaloneService } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { filesOf, removeDatabase, replaceDatabase } from '../src/copies.js';
import { openCopy, startCopy, type OpenResult } from '../src/opened.js';
import { makeOriginal, type Copy, type Original } from '../src/original.js';

/**
 * Files copied from a service under load, damaged, and opened elsewhere. Either the start is
 * refused, or the opened log is a prefix of the original's and agrees with records, lists and
 * statistics.
 */
describe(`copies of a service under load (TEST_SEED=${testSeed})`, () => {
  const random = new Random(testSeed);
  const copies = 3;
  let directory: string;
  let original: Original;
  let opened: OpenResult | undefined;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'refledger-torn-'));
    original = await makeOriginal(directory, random.fork('original'), copies);
  });
  afterEach(async () => {
    if (opened?.kind === 'serves') await opened.service.kill();
  });
  afterAll(async () => {
    await original.receiver.close();
    await rm(directory, { recursive: true, force: true });
  });

  let damagedCopies = 0;
  /** Copies a copy, and damages it. */
  const damaged = async (
    copy: Copy,
    damage: (directory: string) => void | Promise<void>,
  ): Promise<string> => {
    const target = join(directory, `damaged-${++damagedCopies}`);
    cpSync(copy.directory, target, { recursive: true });
    await damage(target);
    return target;
  };
  /** Copies a copy, damages it, and opens it. */
  const open = async (
    copy: Copy,
    damage: (directory: string) => void | Promise<void> = () => undefined,
  ): Promise<OpenResult> => (opened = await openCopy(await damaged(copy, damage), original));
  const expectWhole = (found: OpenResult): void =>
    expect(found.kind === 'serves' ? found.differences : found.reason).toEqual([]);
  const expectWholeOrRefused = (found: OpenResult): void => {
    if (found.kind === 'serves') return expectWhole(found);
    expect(found.reason).toMatch(/ended with code [1-9]/);
    expect(found.reason).toMatch(/Refledger could not start: [^\n]+\n?$/);
  };
  const lastOf = (found: OpenResult): bigint =>
    found.kind === 'serves' ? BigInt(found.log.at(-1)?.position ?? 0) : -1n;
  const still = (n = copies - 1): Copy => present(original.still[n]);

  it.each(Array.from({ length: copies }, (_, n) => n))(
    'taken while it was suspended, number %d: every acknowledged write is stored',
    async (n) => {
      const found = await open(still(n));
      expectWhole(found);
      expect(lastOf(found) >= still(n).acknowledged).toBe(true);
      expect(found).toMatchObject({ dispatcher: { ready: true } });
    },
  );

  it.each(Array.from({ length: copies }, (_, n) => n))(
    'taken while it ran, number %d: is a prefix of the log, or rejected',
    async (n) => expectWholeOrRefused(await open(present(original.running[n]))),
  );

  it.each(['events', 'read-models', 'deliveries'] as const)(
    'with the write-ahead log of %s truncated at some byte',
    async (database) => {
      const found = await open(still(), (copy) => cut(filesOf(copy, database), random));
      expectWholeOrRefused(found);
    },
  );

  it.each(['events', 'read-models', 'deliveries'] as const)(
    'with bytes flipped at the end of the write-ahead log of %s',
    async (database) => {
      expectWholeOrRefused(await open(still(), (copy) => flip(filesOf(copy, database), random)));
    },
  );

  it.each(['events', 'read-models', 'deliveries'] as const)(
    'without the write-ahead log of %s',
    async (database) => {
      expectWholeOrRefused(
        await open(still(), (copy) => {
          for (const part of ['wal', 'shm'] as const)
            rmSync(filesOf(copy, database)[part], { force: true });
        }),
      );
    },
  );

  it('without the index of the write-ahead log, nothing is missing', async () => {
    const found = await open(still(), (copy) =>
      (['events', 'read-models', 'deliveries', 'personal-keys'] as const).forEach((database) =>
        rmSync(filesOf(copy, database).shm, { force: true }),
      ),
    );
    expectWhole(found);
    expect(lastOf(found) >= still().acknowledged).toBe(true);
  });

  it.each<[string, (files: ReturnType<typeof filesOf>) => void]>([
    ['of which a file is missing', ({ whole }) => rmSync(whole)],
    ['of which every file is missing', (files) => Object.values(files).forEach(remove)],
    ['whose file is cut in half', ({ whole }) => truncateSync(whole, statSync(whole).size / 2)],
    ['whose write-ahead log is truncated at some byte', (files) => cut(files, random)],
    ['whose write-ahead log has flipped bytes', (files) => flip(files, random)],
    ['without its write-ahead log', ({ wal, shm }) => [wal, shm].forEach(remove)],
  ])('with a key store %s, nothing is lost once it is restored', async (_, damage) => {
    const target = await damaged(still(), (copy) => damage(filesOf(copy, 'personal-keys')));
    const started = await startCopy(target, original);
    if (started.kind === 'serves') {
      const checked = listAffiliates(started.service).then(isWholeOrUnavailable);
      expect(await checked.finally(() => started.service.kill())).toBe(true);
    } else {
      expect(started.reason).toMatch(
        /Refledger could not start: [^\n]+personal-keys\.db[^\n]+\n?$/,
      );
      // nothing has taken its place
      expect((await startCopy(target, original)).kind).toBe('refused');
    }
    await replaceDatabase(target, 'personal-keys', still().directory);
    opened = await openCopy(target, original);
    expectWhole(opened);
    expect(lastOf(opened) >= still().acknowledged).toBe(true);
  });

  it('without read models: they are rebuilt', async () =>
    expectWhole(await open(still(), (copy) => removeDatabase(copy, 'read-models'))));

  it('with older read models: they catch up', async () =>
    expectWhole(
      await open(still(), (copy) => replaceDatabase(copy, 'read-models', still(0).directory)),
    ));
});

const remove = (file: string): void => rmSync(file, { force: true });

const listAffiliates = ({ baseUrl, adminKey }: StandaloneService): Promise<Response> =>
  fetch(`${baseUrl}/v1/affiliates?limit=100`, { headers: { authorization: `Bearer ${adminKey}` } });

/** Whether a list is complete, or is refused because the key of an affiliate is missing. */
const isWholeOrUnavailable = async (response: Response): Promise<boolean> => {
  const body = (await response.json()) as { readonly code?: string; readonly detail?: string };
  return (
    response.status === 200 ||
    (response.status === 503 && body.code === 'unavailable' && /aff_|key/.test(body.detail ?? ''))
  );
};

/** Cuts the write-ahead log off at a random byte. */
const cut = ({ wal }: ReturnType<typeof filesOf>, random: Random): void => {
  if (existsSync(wal)) truncateSync(wal, random.intBelow(statSync(wal).size));
};

/** Flips five bits in its last 200 bytes. */
const flip = ({ wal }: ReturnType<typeof filesOf>, random: Random): void => {
  if (!existsSync(wal)) return;
  const bytes = readFileSync(wal);
  for (let n = 0; n < 5; n++) {
    const at = Math.max(0, bytes.length - 1 - random.intBelow(200));
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.intBelow(8));
  }
  writeFileSync(wal, bytes);
};
