import { startTogether } from './start-together.js';

describe('starting together', () => {
  const starting = (ended: string[], name: string) =>
    Promise.resolve({ name, stop: () => Promise.resolve(ended.push(name)) });

  it('answers all in order', async () => {
    const ended: string[] = [];

    const [first, second] = await startTogether(starting(ended, 'a'), starting(ended, 'b'));

    expect([first.name, second.name]).toEqual(['a', 'b']);
    expect(ended).toEqual([]);
  });

  it('ends what was started when something beside it could not be', async () => {
    const ended: string[] = [];
    const failing: Promise<{ close(): Promise<void> }> = Promise.reject(new Error('no disk'));

    const all = startTogether(starting(ended, 'a'), failing, starting(ended, 'b'));

    await expect(all).rejects.toThrow('no disk');
    expect(ended).toEqual(['a', 'b']);
  });
});
