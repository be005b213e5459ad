import { setTimeout as sleep } from 'node:timers/promises';

/** How long to wait (times TEST_PATIENCE) and how often to look, in milliseconds. */
export interface PollOptions {
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
}

/**
 * Returns a timeout multiplied by TEST_PATIENCE, for machines on which everything takes longer.
 */
export const scaledTimeout = (ms: number): number => ms * Number(process.env['TEST_PATIENCE'] ?? 1);

/** Repeats a probe until it no longer throws. After the deadline it throws the last error. */
export const eventually = async <T>(
  probe: () => T | Promise<T>,
  { timeoutMs = 20_000, intervalMs = 20 }: PollOptions = {},
): Promise<T> => {
  const deadline = performance.now() + scaledTimeout(timeoutMs);
  for (;;) {
    try {
      return await probe();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    await sleep(intervalMs);
  }
};

/** Waits until `probe` returns a truthy value, and resolves to that value. */
export const waitFor = async <T>(
  probe: () => T | Promise<T>,
  options: PollOptions = {},
): Promise<Exclude<T, false | undefined | null>> =>
  eventually(
    async () => {
      const seen = await probe();
      if (!seen) throw new Error(`never came true: ${probe.toString()}`);
      return seen as Exclude<T, false | undefined | null>;
    },
    { intervalMs: 2, ...options },
  );
