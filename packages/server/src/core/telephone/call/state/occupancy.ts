import type { SharedState } from '#core/kernel/shared-state/shared-state.ts'
import { Watchers } from '#core/kernel/watchers.ts'
import type { Station, Party } from './party.ts'

/** A call at a phone. `calling`: it is not answered yet. */
export interface StationCall {
  readonly id: string
  readonly role: Party['role']
  readonly state: 'ringing' | 'calling' | 'talking'
}

type DeviceKey = Pick<Station, 'accountId' | 'deviceId'>

const keyOf = ({ accountId, deviceId }: DeviceKey): string => `${accountId}/${deviceId}`

/** What other processes know of the same. */
export interface SharedOccupancy {
  calls: Shared<StationCall[]>
  /** By user. */
  idleSince: Shared<number>
}

type Shared<T> = Pick<SharedState<T>, 'set' | 'others'>

/** Which phones are in a call right now, and since when each user is not. */
export class Occupancy {
  readonly #calls = new Map<string, Map<string, StationCall>>()
  readonly #idleSince = new Map<string, number>()
  readonly #watchers = new Watchers()
  readonly #shared: SharedOccupancy | undefined

  /** `share`: with the other processes; given what is to be told when the calls of a phone change there. */
  constructor(share?: (changed: (key: string) => void) => SharedOccupancy) {
    this.#shared = share?.((key) => this.#watchers.notify(key))
  }

  /** Takes part in a call from now on. */
  enter(station: Station, { id, role }: Pick<Party, 'id' | 'role'>, answered: boolean): void {
    this.#set(station, { id, role, state: answered ? 'talking' : 'calling' })
  }

  /** The call that it makes was answered. */
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

  /** It rings until it takes the call, or until what is returned is called. */
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

  /** Tells of every change at this phone. Returns what ends it. */
  watch(device: DeviceKey, changed: () => void): () => void {
    return this.#watchers.watch(keyOf(device), changed)
  }

  /** When this user hung up for the last time; a user who has not talked yet waits the longest. */
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
