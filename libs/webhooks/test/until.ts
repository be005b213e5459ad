import { setTimeout as delay } from 'node:timers/promises';

/** Waits for a condition; fails when it doesn't come true within ten seconds. */
export const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`never came true: ${condition.toString()}`);
    await delay(2);
  }
};
