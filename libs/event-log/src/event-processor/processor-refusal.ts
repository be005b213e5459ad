/**
 * The processor must not continue by itself: its checkpoint does not fit the log, and a guess would
 * skip events or process them again.
 */
export class ProcessorRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProcessorRefusal';
  }
}
