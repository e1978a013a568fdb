/** Time as a dependency: the only source of "now" and of timers outside the adapters. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Monotonic milliseconds from an arbitrary origin, unaffected by clock changes: for durations. */
  elapsed(): number
  /** Runs `task` once after `ms`; the returned function cancels it. */
  after(ms: number, task: () => void): () => void
}

/** Starts at the time of `clock` and advances monotonically, even if `clock` is set. */
export const evenly = (clock: Clock): Clock => {
  const gapMs = clock.now() - clock.elapsed()
  return {
    now: () => clock.elapsed() + gapMs,
    elapsed: () => clock.elapsed(),
    after: (ms, task) => clock.after(ms, task),
  }
}

/** Clock of a sandbox: as fast as the wall clock, but ahead of it. */
export interface MovableClock extends Clock {
  readonly aheadMs: number
  /** Never backwards. Overtaken timers run immediately. */
  putForward(aheadMs: number): void
}

/** No process answers for this subject: the one that did is gone. The request was not executed, so asking elsewhere is safe. */
export class NoAnswerError extends Error {}

/** The reply did not come in time, or cannot come because the bus is down. It is unknown whether the request was executed. */
export class NoAnswer extends Error {}

/** Returns JSON. An error does not reach the asker, who gets `NoAnswer`. */
export type Answering = (body: unknown) => unknown

export type Hearing = (body: unknown, subject: string) => void

export interface Asking {
  /** Timeout for the reply in milliseconds. */
  ms?: number
}

/**
 * Messaging between the nodes of an installation: immediate, without persistence. Data that must not get lost is in the store, which
 * alone decides which node owns a call. Bodies are JSON. Subjects are words joined by dots, such as `call.<callId>`; only `hear` accepts
 * `*` for one word.
 */
export interface Bus {
  /** Answers requests for the subject until the returned function is called. Several nodes may answer: `ask` reaches one of them. */
  answer(subject: string, answering: Answering): () => void
  /** Rejects only with `NoAnswerError` or `NoAnswer`. */
  ask(subject: string, body: unknown, asking?: Asking): Promise<unknown>
  /** Replies of all nodes that answer for the subject, including this one, within `ms`; fewer than `expected` if some do not reply. */
  askAll(subject: string, body: unknown, asking: Asking & { expected: number }): Promise<unknown[]>
  /** Publishes to all listeners, including this node. Lost while the bus is down. */
  notify(subject: string, body: unknown): void
  hear(subject: string, hearing: Hearing): () => void
  /** False: other nodes may be fine, but are not heard. */
  readonly connected: boolean
  /** True for the in-process bus without other nodes. */
  readonly alone: boolean
  /** Called on every change of `connected`. */
  onConnection(changed: (connected: boolean) => void): () => void
  close(): Promise<void>
}

/** State that a node publishes with each heartbeat. */
export interface PeerNode {
  /** One run of one process: owner of leases and running calls. */
  owner: string
  /** Address that answers `/health`. */
  http: string
  /** SIP address for calls: `sip:10.0.0.11:5060`. */
  sip: string
  version: string
  /** Newest call snapshot format that it can resume. */
  snapshots: number
  calls: number
  /** Accepts no new calls: drained by an operator, or shutting down. */
  draining: boolean
  /** The database does not answer it. */
  storeAway?: boolean
  /** OFFHOOK_REGION. */
  region?: string | undefined
}

/** How peer nodes hear this one: a node that is not heard loses its calls. Times are of the heartbeat's clock. */
export interface Contact {
  /** No other node was met that may take over calls. */
  readonly alone: boolean
  /** As far as is known, no peer counts this node as gone before this time. */
  readonly heardUntil: number
  /** When the last heartbeat was sent that the bus delivered. */
  readonly echoSentAt: number
  /** No peer can reach the database, so none can take over calls. False without peers. */
  readonly peersLackStore: boolean
  /** Called after each heartbeat that the bus delivered, own ones included. */
  onContact(contact: () => void): () => void
}

/** Other nodes of the installation heard on the bus. Empty for a single node. */
export interface PeerNodes {
  /** This run of this process. */
  readonly self: string
  /** Nodes heard recently, and nodes whose state is uncertain. */
  others(): readonly PeerNode[]
  /** The other nodes without those that some node does not hear at the moment. */
  living(): readonly PeerNode[]
  /** Called when a node is certainly dead or stalled: neither heard nor reachable, and neither this node nor the bus is at fault. */
  onGone(gone: (peerNode: PeerNode) => void): () => void
  /** Called when a node joins, leaves, is gone or is abandoned. */
  onChange(changed: () => void): () => void
  /** Called when this process stalled long enough for other nodes to take over its calls. */
  onStall(stalled: (ms: number) => void): () => void
  /** True if the own heartbeat is overdue: the process stalled and `onStall` has not run yet. False for a single node. */
  late(): boolean
}

/** Encrypts secrets in the database that must be readable again (SIP passwords, signing keys). */
export interface Vault {
  seal(plain: string): string
  /** Throws if the text was not sealed by this vault or has been changed. */
  open(sealed: string): string
  /** 32 secret bytes for one purpose: the same in every process with this vault's key, and useless for other purposes. */
  derive(purpose: string): Uint8Array
}
