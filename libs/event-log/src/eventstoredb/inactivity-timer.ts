/** Waits for something that comes again and again, but for no silence longer than `ms`. */
export class InactivityTimer {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly ms: number) {}

  /** From now on somebody waits. */
  start(giveUp: (silentMs: number) => void): void {
    this.timer = setTimeout(() => giveUp(this.ms), this.ms);
  }

  /** Something was heard. */
  heard(): void {
    this.timer?.refresh();
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
