import type { Telling } from './story.js';

/** Shows the story: as a live screen or as plain lines. */
export interface Show {
  tell(telling: Telling): void;
  /** Restores the terminal. May be called more than once. */
  close(): void;
}
