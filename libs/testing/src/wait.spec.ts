import { eventually } from './wait.js';

describe('eventually', () => {
  it('resolves as soon as the probe no longer throws', async () => {
    let attempts = 0;
    const probe = () => {
      if (++attempts < 3) throw new Error('not yet');
      return attempts;
    };
    expect(await eventually(probe, { intervalMs: 1 })).toBe(3);
  });

  it('throws the last error after the deadline', () =>
    expect(
      eventually(() => Promise.reject(new Error('never')), { timeoutMs: 20, intervalMs: 1 }),
    ).rejects.toThrow('never'));
});
