import type { Telling } from './story.js';

/** Where the story is told: a live screen, or plain lines. */
export interface Show {
  tell(telling: Telling): void;
  /** Leaves the terminal as it was found. May be called more than once. */
  close(): void;
}
