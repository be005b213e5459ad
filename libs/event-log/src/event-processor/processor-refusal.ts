/** The processor must not go on by itself: its checkpoint is not the log's, and to guess would leave out or do again. */
export class ProcessorRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProcessorRefusal';
  }
}
