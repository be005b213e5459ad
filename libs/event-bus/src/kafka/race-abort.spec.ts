import { raceAbort } from './race-abort.js';

describe('work raced against a signal', () => {
  const forever = new Promise<never>(() => undefined);

  it('settles like the work', async () => {
    const { signal } = new AbortController();
    await expect(raceAbort(signal, Promise.resolve(1))).resolves.toBe(1);
    await expect(raceAbort(signal, Promise.reject(new Error('away')))).rejects.toThrow('away');
  });

  it('rejects once the signal aborts, or if it already has, and ignores how the work settles', async () => {
    const [ending, reason] = [new AbortController(), new Error('the end')];
    const waiting = raceAbort(ending.signal, forever);
    ending.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(raceAbort(ending.signal, Promise.reject(new Error('away')))).rejects.toBe(reason);
  });
});
