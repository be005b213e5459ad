import { startTogether } from './start-together.js';

describe('starting together', () => {
  const starting = (ended: string[], name: string) =>
    Promise.resolve({ name, stop: () => Promise.resolve(ended.push(name)) });

  it('returns all results in order', async () => {
    const ended: string[] = [];

    const [first, second] = await startTogether(starting(ended, 'a'), starting(ended, 'b'));

    expect([first.name, second.name]).toEqual(['a', 'b']);
    expect(ended).toEqual([]);
  });

  it('ends the started ones if another one fails to start', async () => {
    const ended: string[] = [];
    const failing: Promise<{ close(): Promise<void> }> = Promise.reject(new Error('no disk'));

    const all = startTogether(starting(ended, 'a'), failing, starting(ended, 'b'));

    await expect(all).rejects.toThrow('no disk');
    expect(ended).toEqual(['a', 'b']);
  });
});
