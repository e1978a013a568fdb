/**
 * How the processes of one installation talk to each other: at once and in order. Nothing is stored: a message to a process that is not
 * connected is lost.
 */
export interface Intercom {
  /** Connects, and reconnects by itself. */
  attach(ear: IntercomEar): void
  /** To one process by its name, or to all. False when it cannot be sent now. */
  say(message: object, to?: string): boolean
  close(): Promise<void>
}

/** Gets the messages of the other processes. */
export interface IntercomEar {
  /** From now on others are heard, and hear us … */
  connected(): void
  /** … until now. What was said last may not have arrived. */
  lost(): void
  /** `from`: the name to answer to. */
  heard(from: string, message: unknown): void
}
