import type { Console } from '../console.js';
import { newProgress, type Progress } from '../progress.js';

interface Work {
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Runs a long step of the copy and shows its progress, counted in `unit`. */
export const shownWork = async <T>(
  console: Pick<Console, 'report' | 'terminal' | 'signal'>,
  { what, unit }: { readonly what: string; readonly unit: 'position' | 'delivery' },
  work: (options: Work) => Promise<T>,
): Promise<T> => {
  const progress = newProgress(what, console, { unit });
  try {
    return await work({ progress, signal: console.signal });
  } finally {
    progress.end();
  }
};
