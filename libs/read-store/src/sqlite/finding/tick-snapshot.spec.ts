import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { positionOf, changes, logId, sale, sales, stored } from '../../conformance/fixtures.js';
import { openSqliteReadStore } from '../sqlite-read-store.js';

const timeoutMs = 60_000;

describe('reads in one tick', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'refledger-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  const open = async () => {
    const file = join(directory, 'read-models.db');
    const [writer, reader] = [
      await openSqliteReadStore({ file, mode: 'write' }),
      await openSqliteReadStore({ file, mode: 'read' }),
    ];
    const build = await writer.createBuild(sales, logId, 'first');
    await writer.save([changes(build, 1, stored('a', 1, sale('a')))]);
    await writer.goLive(build);
    const read = async () => (await reader.get(sales, logId, 'sales', 'b')).position;
    return {
      writer,
      reader,
      read,
      saveSecond: () => writer.save([changes(build, 2, stored('b', 2, sale('b')))]),
      close: () => Promise.all([writer.close(), reader.close()]),
    };
  };

  it('see one instant, and those in the next tick see later saves', async () => {
    const { read, saveSecond, close } = await open();

    expect(await read()).toBe('1');
    await saveSecond();
    expect(await read()).toBe('1');
    await yieldToEventLoop();
    expect(await read()).toBe('2');
    await close();
  });

  it('never see less than an awaited position', async () => {
    const { reader, read, saveSecond, close } = await open();

    expect(await read()).toBe('1');
    await saveSecond();
    expect(await reader.waitForPosition(sales, logId, positionOf(2), { timeoutMs })).toBe(true);
    expect(await read()).toBe('2');
    await close();
  });

  it('show changes of builds immediately', async () => {
    const { writer, reader, read, close } = await open();

    expect(await read()).toBe('1');
    await writer.createBuild(sales, logId, 'second');
    expect(await reader.builds('sales')).toHaveLength(2);
    await close();
  });

  it('do not block writes on the same connection', async () => {
    const { writer, saveSecond, close } = await open();

    expect((await writer.get(sales, logId, 'sales', 'a')).position).toBe('1');
    await saveSecond();
    expect((await writer.get(sales, logId, 'sales', 'b')).position).toBe('2');
    await close();
  });
});
