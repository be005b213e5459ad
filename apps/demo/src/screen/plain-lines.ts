import { timeOfDay } from './screen.js';
import { initialState, applyUpdate, type Line, type Show } from './screen-state.js';

/**
 * Tells the story line by line, for logs and pipes: each request once it is answered, and each
 * webhook when it arrives.
 */
export const openPlainLines = (write: (text: string) => void): Show => {
  let state = initialState;
  return {
    update(update) {
      state = applyUpdate(state, update);
      const line =
        update.type === 'line'
          ? update.line
          : update.type === 'delivered'
            ? state.lines.find(({ id }) => id === update.id)
            : undefined;
      if (line === undefined) return;
      if (update.type === 'delivered')
        write(
          `${timeOfDay(line.at)}  ${named(line)}: webhook ${update.valid ? 'with a valid signature' : 'WITH AN INVALID SIGNATURE'}\n`,
        );
      else if (line.note !== undefined) write(`${timeOfDay(line.at)}  ${line.note}\n`);
      else if (line.response !== '')
        write(
          `${timeOfDay(line.at)}  ${named(line)}${line.amount === '' ? '' : `, ${line.amount}`}: ${line.response}\n`,
        );
    },
    close: () => undefined,
  };
};

const named = ({ subject, who }: Line): string =>
  [subject, who].filter((part) => part !== '').join(' ');
