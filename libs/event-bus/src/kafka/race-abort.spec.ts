import { raceAbort } from './race-abort.js';

describe('work that a signal need not wait for', () => {
  const forever = new Promise<never>(() => undefined);

  it('comes to what it comes to', async () => {
    const { signal } = new AbortController();
    await expect(raceAbort(signal, Promise.resolve(1))).resolves.toBe(1);
    await expect(raceAbort(signal, Promise.reject(new Error('away')))).rejects.toThrow('away');
  });

  it("is left to itself when the signal aborts, also if it has aborted before; what becomes of it is nobody's", async () => {
    const [ending, reason] = [new AbortController(), new Error('the end')];
    const waiting = raceAbort(ending.signal, forever);
    ending.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(raceAbort(ending.signal, Promise.reject(new Error('away')))).rejects.toBe(reason);
  });
});
