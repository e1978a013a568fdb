/** Nobody answers for this subject: whoever did is gone. Nothing was done, so asking elsewhere is safe. */
export class NoAnswerError extends Error {}

/** The reply did not come in time, or cannot come because the bus is down. It is unknown whether anything was done. */
export class NoAnswer extends Error {}

/** Replies with JSON; what it throws does not reach the asker, who gets `NoAnswer`. */
export type Answering = (body: unknown) => unknown

export type Hearing = (body: unknown, subject: string) => void

export interface Asking {
  /** How long to wait for a reply. */
  ms?: number
}

/**
 * How the processes of one installation talk to each other: at once, and nothing is kept. What must not get lost is in the store, which
 * alone decides who has a call. Bodies are JSON. Subjects are words joined by dots, such as `call.<callId>`; only `hear` takes `*` for one word.
 */
export interface Bus {
  /** This process answers for that subject, until the returned function is called. Several processes may: `ask` reaches one of them. */
  answer(subject: string, answering: Answering): () => void
  /** Rejects with `NobodyThere` or `NoAnswer`, never with anything else. */
  ask(subject: string, body: unknown, asking?: Asking): Promise<unknown>
  /** The replies of all who answer for that subject, ourselves included, that come within `ms`; fewer than `expected` when some do not. */
  askAll(subject: string, body: unknown, asking: Asking & { expected: number }): Promise<unknown[]>
  /** To all who hear it, ourselves included. Lost when the bus is down. */
  notify(subject: string, body: unknown): void
  hear(subject: string, hearing: Hearing): () => void
  /** False: others may be fine, but are not heard. */
  readonly connected: boolean
  /** True for the bus inside one process: there is nobody else. */
  readonly alone: boolean
  /** Told at every change of `connected`. */
  onConnection(changed: (connected: boolean) => void): () => void
  close(): Promise<void>
}
