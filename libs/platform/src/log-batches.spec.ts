import { logBatches } from './log-batches.js';
import { newLogger } from './logger.js';

describe('logBatches', () => {
  const written: string[] = [];
  const destination = logBatches({
    write: (text) => void written.push(text),
    flushSync: () => void written.push('flushed'),
  });
  beforeEach(() => {
    jest.useFakeTimers();
    written.length = 0;
  });
  afterEach(() => jest.useRealTimers());

  it('writes the lines of a moment at once and in their order, and the next ones later', () => {
    for (const line of ['a\n', 'b\n']) destination.write(line);
    expect(written).toEqual([]);
    jest.advanceTimersByTime(10);
    expect(written).toEqual(['a\nb\n']);
    destination.write('c\n');
    jest.advanceTimersByTime(10);
    expect(written).toEqual(['a\nb\n', 'c\n']);
  });

  it('lets many lines wait for nothing', () => {
    for (const line of ['x'.repeat(40_000), 'y'.repeat(40_000)]) destination.write(line);
    expect(written.map((text) => text.length)).toEqual([80_000]);
    jest.advanceTimersByTime(10);
    expect(written).toHaveLength(1);
  });

  it('writes what waits before a fatal end', () => {
    const logger = newLogger('info', 'test', destination);
    logger.info('going on');
    logger.fatal('ending');
    expect(written.map((text) => text.split('\n').length - 1)).toEqual([2, 0]);
    expect(written[1]).toBe('flushed');
  });

  it('writes what waits when the thread ends', () => {
    destination.write('last\n');
    process.listeners('exit').at(-1)?.call(process, 0);
    expect(written).toEqual(['last\n', 'flushed']);
  });
});
