import type { WriteStream } from 'node:tty';
import { drawScreen, type Colors } from './screen.js';
import { initialState, applyUpdate, type Show } from './screen-state.js';

/**
 * Redraws the story in place, on the alternate screen, so that the terminal's earlier contents come
 * back afterward.
 */
export const openLiveScreen = (terminal: WriteStream, colors: Colors): Show => {
  let state = initialState;
  let drawn: readonly string[] = [];
  let open = true;

  const draw = (): void => {
    const lines = drawScreen(state, { columns: terminal.columns, rows: terminal.rows, colors });
    const changed = lines
      .map((line, row) => (line === drawn[row] ? '' : `\x1b[${row + 1};1H${line}`))
      .join('');
    if (changed !== '') terminal.write(changed);
    drawn = lines;
  };
  const redraw = (): void => {
    terminal.write(clear);
    drawn = [];
    draw();
  };
  const close = (): void => {
    if (!open) return;
    open = false;
    clearInterval(timer);
    terminal.off('resize', redraw);
    process.off('exit', close);
    terminal.write(restore);
  };

  terminal.write(`${ownScreen}${clear}`);
  terminal.on('resize', redraw);
  process.on('exit', close);
  const timer = setInterval(draw, frameMs);
  return { update: (update) => void (state = applyUpdate(state, update)), close };
};

const frameMs = 50;
const clear = '\x1b[2J';
/** The alternate screen, without a cursor and without line wrapping. */
const ownScreen = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const restore = '\x1b[?7h\x1b[?25h\x1b[?1049l';
