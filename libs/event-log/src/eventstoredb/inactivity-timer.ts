/** Limits the silence between repeated signs of life to `ms`. */
export class InactivityTimer {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly ms: number) {}

  /** Starts the timer; `giveUp` is called after a silence of `ms`. */
  start(giveUp: (silentMs: number) => void): void {
    this.timer = setTimeout(() => giveUp(this.ms), this.ms);
  }

  /** Restarts the timer after a sign of life. */
  heard(): void {
    this.timer?.refresh();
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
