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

/** Which phones are in a call in this process right now, and since when each user is not. */
export class Occupancy {
  readonly #calls = new Map<string, Map<string, StationCall>>()
  readonly #idleSince = new Map<string, number>()
  readonly #watchers = new Watchers()

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
    this.#idleSince.set(`${station.accountId}/${station.userId}`, at)
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
    return [...(this.#calls.get(keyOf(device))?.values() ?? [])]
  }

  /** Tells of every change at this phone. Returns what ends it. */
  watch(device: DeviceKey, changed: () => void): () => void {
    return this.#watchers.watch(keyOf(device), changed)
  }

  /** When this user hung up for the last time; a user who has not talked yet waits the longest. */
  idleSince(accountId: string, userId: string): number {
    return this.#idleSince.get(`${accountId}/${userId}`) ?? 0
  }

  #set(device: DeviceKey, call: StationCall): void {
    const key = keyOf(device)
    const calls = this.#calls.get(key) ?? new Map<string, StationCall>()
    this.#calls.set(key, calls.set(call.id, call))
    this.#watchers.tell(key)
  }

  #delete(device: DeviceKey, id: string): void {
    const key = keyOf(device)
    const calls = this.#calls.get(key)
    if (!calls?.delete(id)) return
    if (calls.size === 0) this.#calls.delete(key)
    this.#watchers.tell(key)
  }
}
