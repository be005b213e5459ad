import { SingleBar } from 'cli-progress';

export interface Progress {
  step(says: string): void;
  end(): void;
}

/** A bar on a terminal; elsewhere one line for each tenth of the rounds. */
export const newProgress = (
  total: number,
  terminal: boolean,
  print: (line: string) => void,
): Progress => {
  let done = 0;
  if (!terminal) {
    const tenth = Math.max(1, Math.ceil(total / 10));
    return {
      step: (says) =>
        void (++done % tenth === 0 || done === total
          ? print(`round ${done} of ${total}: ${says}`)
          : undefined),
      end: () => undefined,
    };
  }
  const bar = new SingleBar({
    format: 'rounds {bar} {value}/{total}  {eta_formatted} left  {says}',
    hideCursor: true,
  });
  bar.start(total, 0, { says: '' });
  return { step: (says) => bar.update(++done, { says }), end: () => bar.stop() };
};
