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
  /** Undefined when the watcher may no longer see it. */
  state(): Promise<LampState | undefined>
  /** Calls back when the state may have changed. Gives how to stop. */
  watch(changed: () => void): () => void
}

export interface Lamps {
  /** The extension that plays the messages. */
  readonly messageAccess: string
  /** Undefined when the watcher's account has nothing of that name, or the watcher may not see it. */
  find(watcher: Watcher, kind: LampKind, name: string): Promise<Lamp | undefined>
}
