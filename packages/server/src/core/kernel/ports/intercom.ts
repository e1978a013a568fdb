/**
 * How the processes of one installation talk to each other: at once, in order, and without a trace. Nothing is kept: what is said to
 * a process that is not connected is lost.
 */
export interface Intercom {
  /** From now on it connects, and comes back by itself. */
  attach(ear: IntercomEar): void
  /** To one of them by its name, or to all. False when it cannot be said now. */
  say(message: object, to?: string): boolean
  close(): Promise<void>
}

/** Who is told what the others say. */
export interface IntercomEar {
  /** From now on others are heard, and hear us … */
  connected(): void
  /** … until now. What was said last may not have arrived. */
  lost(): void
  /** `from`: by this name it is answered. */
  heard(from: string, message: unknown): void
}
