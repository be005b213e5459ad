import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
}

/** As long a wait as a test allows, on a machine that does all at once longer: TEST_PATIENCE says how many times as long. */
export const patient = (ms: number): number => ms * Number(process.env['TEST_PATIENCE'] ?? 1);

/** Repeats a probe until it no longer throws; after the deadline its last error is thrown. */
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

/** Waits until `look` answers something true, and answers that. */
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
