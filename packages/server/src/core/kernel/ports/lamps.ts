/** What the lamps of phones show, and to whom. Asked by the telephone side. */

export interface Watcher {
  accountId: string
  deviceId: string
  username: string
}

export type BlfKind = 'messages' | 'calls'

export interface BlfCall {
  id: string
  /** Seen from the phone that is watched. */
  direction: 'incoming' | 'outgoing'
  state: 'ringing' | 'calling' | 'talking'
}

export type BlfState = { kind: 'messages'; fresh: number; heard: number } | { kind: 'calls'; calls: readonly BlfCall[] }

export interface BlfEntry {
  /** Undefined when the watcher may no longer see it. */
  state(): Promise<BlfState | undefined>
  /** Calls back when the state may have changed. Gives how to stop. */
  watch(changed: () => void): () => void
}

export interface BlfEntries {
  /** The extension that plays the messages. */
  readonly messageAccess: string
  /** Undefined when the watcher's account has nothing of that name, or the watcher may not see it. */
  find(watcher: Watcher, kind: BlfKind, name: string): Promise<BlfEntry | undefined>
}
