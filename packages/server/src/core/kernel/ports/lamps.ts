/** What the lamps of phones show, and to whom. Asked by the telephone side. */

export interface Watcher {
  accountId: string
  deviceId: string
  username: string
}

export type LampKind = 'messages' | 'calls'

export interface LampCall {
  id: string
  /** Seen from the phone that is watched. */
  direction: 'incoming' | 'outgoing'
  state: 'ringing' | 'calling' | 'talking'
}

export type LampState = { kind: 'messages'; fresh: number; heard: number } | { kind: 'calls'; calls: readonly LampCall[] }

export interface Lamp {
  /** Undefined when the watcher must not know any more. */
  state(): Promise<LampState | undefined>
  /** Tells when the state may be another one. Returns what ends it. */
  watch(changed: () => void): () => void
}

export interface Lamps {
  /** What listens to the messages is called. */
  readonly messageAccess: string
  /** Undefined when the watcher's account has nothing of that name, or it is none of the watcher's business. */
  find(watcher: Watcher, kind: LampKind, name: string): Promise<Lamp | undefined>
}
