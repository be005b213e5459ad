import { setTimeout as sleep } from 'node:timers/promises';

/** How long to wait (times TEST_PATIENCE) and how often to look, in milliseconds. */
export interface Patience {
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
}

/**
 * Returns a time-out multiplied by TEST_PATIENCE, for machines on which everything takes longer.
 */
export const patient = (ms: number): number => ms * Number(process.env['TEST_PATIENCE'] ?? 1);

/** Repeats a probe until it no longer throws. After the deadline it throws the last error. */
export const eventually = async <T>(
  probe: () => T | Promise<T>,
  { timeoutMs = 10_000, intervalMs = 20 }: Patience = {},
): Promise<T> => {
  const deadline = performance.now() + patient(timeoutMs);
  for (;;) {
    try {
      return await probe();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    await sleep(intervalMs);
  }
};

/** Waits until `look` returns a truthy value, and resolves to that value. */
export const until = async <T>(
  look: () => T | Promise<T>,
  patience: Patience = {},
): Promise<Exclude<T, false | undefined | null>> =>
  eventually(
    async () => {
      const seen = await look();
      if (!seen) throw new Error(`never came true: ${look.toString()}`);
      return seen as Exclude<T, false | undefined | null>;
    },
    { intervalMs: 2, ...patience },
  );
