import type { PublishedCheckpoint } from '../publication.js';
import { noteOf } from './published-up-to.js';

/**
 * Notes the latest checkpoint for others to see, at most twice a second. The next note makes up for
 * a failed one.
 */
export class CoalescingWriter {
  private latest: PublishedCheckpoint | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly note: (text: string) => Promise<void>) {}

  report(checkpoint: PublishedCheckpoint): void {
    this.latest = checkpoint;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.latest !== undefined) this.note(noteOf(this.latest)).catch(() => undefined);
    }, betweenNotesMs).unref();
  }

  end(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

const betweenNotesMs = 500;
