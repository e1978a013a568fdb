import type { SharedState } from '#core/kernel/shared-state/shared-state.ts'
import { Watchers } from '#core/kernel/watchers.ts'
import type { Station, Party } from './party.ts'

/** A call at a phone. `calling`: not answered yet. */
export interface StationCall {
  readonly id: string
  readonly role: Party['role']
  readonly state: 'ringing' | 'calling' | 'talking'
}

type DeviceKey = Pick<Station, 'accountId' | 'deviceId'>

const keyOf = ({ accountId, deviceId }: DeviceKey): string => `${accountId}/${deviceId}`

/** Occupancy shared with other nodes. */
interface SharedOccupancy {
  calls: Shared<StationCall[]>
  /** Keyed by user. */
  idleSince: Shared<number>
}

type Shared<T> = Pick<SharedState<T>, 'set' | 'others'>

/** Calls of each phone, and the time since each user is idle. */
export class Occupancy {
  readonly #calls = new Map<string, Map<string, StationCall>>()
  readonly #idleSince = new Map<string, number>()
  readonly #watchers = new Watchers()
  readonly #shared: SharedOccupancy | undefined

  /** `share`: connects to other nodes; its argument is called when a phone's calls change there. */
  constructor(share?: (changed: (key: string) => void) => SharedOccupancy) {
    this.#shared = share?.((key) => this.#watchers.notify(key))
  }

  /** The phone joins a call. */
  enter(station: Station, { id, role }: Pick<Party, 'id' | 'role'>, answered: boolean): void {
    this.#set(station, { id, role, state: answered ? 'talking' : 'calling' })
  }

  /** The call made by this phone was answered. */
  answered(station: Station, { id }: Pick<Party, 'id'>): void {
    const call = this.#calls.get(keyOf(station))?.get(id)
    if (call?.state === 'calling') this.#set(station, { ...call, state: 'talking' })
  }

  leave(station: Station, { id }: Pick<Party, 'id'>, at: number): void {
    const user = `${station.accountId}/${station.userId}`
    this.#idleSince.set(user, at)
    this.#shared?.idleSince.set(user, at)
    this.#delete(station, id)
  }

  /** Marks the phone as ringing until it answers or the returned function is called. */
  rings(station: Station, { id, role }: Pick<Party, 'id' | 'role'>): () => void {
    this.#set(station, { id, role, state: 'ringing' })
    return () => {
      if (this.#calls.get(keyOf(station))?.get(id)?.state === 'ringing') this.#delete(station, id)
    }
  }

  isBusy(accountId: string, deviceId: string): boolean {
    return this.callsOf({ accountId, deviceId }).some(({ state }) => state !== 'ringing')
  }

  callsOf(device: DeviceKey): StationCall[] {
    const key = keyOf(device)
    return [...(this.#calls.get(key)?.values() ?? []), ...(this.#shared?.calls.others(key).flat() ?? [])]
  }

  /** Calls `changed` on every change at this phone. Returns the unsubscribe function. */
  watch(device: DeviceKey, changed: () => void): () => void {
    return this.#watchers.watch(keyOf(device), changed)
  }

  /** Time of the user's last hang-up; a user without a call has been idle longest. */
  idleSince(accountId: string, userId: string): number {
    const user = `${accountId}/${userId}`
    return Math.max(this.#idleSince.get(user) ?? 0, ...(this.#shared?.idleSince.others(user) ?? []))
  }

  #set(device: DeviceKey, call: StationCall): void {
    const key = keyOf(device)
    const calls = this.#calls.get(key) ?? new Map<string, StationCall>()
    this.#calls.set(key, calls.set(call.id, call))
    this.#shared?.calls.set(key, [...calls.values()])
    this.#watchers.notify(key)
  }

  #delete(device: DeviceKey, id: string): void {
    const key = keyOf(device)
    const calls = this.#calls.get(key)
    if (!calls?.delete(id)) return
    if (calls.size === 0) this.#calls.delete(key)
    this.#shared?.calls.set(key, calls.size === 0 ? undefined : [...calls.values()])
    this.#watchers.notify(key)
  }
}
