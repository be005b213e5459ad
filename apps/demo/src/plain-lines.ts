import { timeOfDay } from './screen.js';
import type { Show } from './show.js';
import { beginning, goOn, type Line } from './story.js';

/**
 * Tells the story line by line, for logs and pipes: each request once it is answered, and each
 * webhook when it arrives.
 */
export const openPlainLines = (write: (text: string) => void): Show => {
  let story = beginning;
  return {
    tell(telling) {
      story = goOn(story, telling);
      const line =
        telling.tell === 'line'
          ? telling.line
          : telling.tell === 'delivered'
            ? story.lines.find(({ id }) => id === telling.id)
            : undefined;
      if (line === undefined) return;
      if (telling.tell === 'delivered')
        write(
          `${timeOfDay(line.at)}  ${named(line)}: webhook ${telling.valid ? 'with a valid signature' : 'WITH A BAD SIGNATURE'}\n`,
        );
      else if (line.note !== undefined) write(`${timeOfDay(line.at)}  ${line.note}\n`);
      else if (line.answer !== '')
        write(
          `${timeOfDay(line.at)}  ${named(line)}${line.amount === '' ? '' : `, ${line.amount}`}: ${line.answer}\n`,
        );
    },
    close: () => undefined,
  };
};

const named = ({ subject, who }: Line): string =>
  [subject, who].filter((part) => part !== '').join(' ');
