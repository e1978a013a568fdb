import { Watchers } from '#core/kernel/watchers.ts'
import type { Desk, Party } from './party.ts'

/** A call at a phone. `calling`: nobody has answered it yet. */
export interface DeskCall {
  readonly id: string
  readonly role: Party['role']
  readonly state: 'ringing' | 'calling' | 'talking'
}

type Place = Pick<Desk, 'accountId' | 'deviceId'>

const keyOf = ({ accountId, deviceId }: Place): string => `${accountId}/${deviceId}`

/** Who is on the phone in this process right now, and since when everybody else is not. */
export class Occupancy {
  readonly #calls = new Map<string, Map<string, DeskCall>>()
  readonly #idleSince = new Map<string, number>()
  readonly #watchers = new Watchers()

  /** Takes part in a call from now on. */
  enter(desk: Desk, { id, role }: Pick<Party, 'id' | 'role'>, answered: boolean): void {
    this.#set(desk, { id, role, state: answered ? 'talking' : 'calling' })
  }

  /** Somebody took the call that it makes. */
  answered(desk: Desk, { id }: Pick<Party, 'id'>): void {
    const call = this.#calls.get(keyOf(desk))?.get(id)
    if (call?.state === 'calling') this.#set(desk, { ...call, state: 'talking' })
  }

  leave(desk: Desk, { id }: Pick<Party, 'id'>, at: number): void {
    this.#idleSince.set(`${desk.accountId}/${desk.userId}`, at)
    this.#delete(desk, id)
  }

  /** It rings until it takes the call, or until what is returned is called. */
  rings(desk: Desk, { id, role }: Pick<Party, 'id' | 'role'>): () => void {
    this.#set(desk, { id, role, state: 'ringing' })
    return () => {
      if (this.#calls.get(keyOf(desk))?.get(id)?.state === 'ringing') this.#delete(desk, id)
    }
  }

  isBusy(accountId: string, deviceId: string): boolean {
    return this.callsOf({ accountId, deviceId }).some(({ state }) => state !== 'ringing')
  }

  callsOf(place: Place): DeskCall[] {
    return [...(this.#calls.get(keyOf(place))?.values() ?? [])]
  }

  /** Tells of every change at this phone. Returns what ends it. */
  watch(place: Place, changed: () => void): () => void {
    return this.#watchers.watch(keyOf(place), changed)
  }

  /** When this user hung up for the last time; who has not talked yet waits the longest. */
  idleSince(accountId: string, userId: string): number {
    return this.#idleSince.get(`${accountId}/${userId}`) ?? 0
  }

  #set(place: Place, call: DeskCall): void {
    const key = keyOf(place)
    const calls = this.#calls.get(key) ?? new Map<string, DeskCall>()
    this.#calls.set(key, calls.set(call.id, call))
    this.#watchers.tell(key)
  }

  #delete(place: Place, id: string): void {
    const key = keyOf(place)
    const calls = this.#calls.get(key)
    if (!calls?.delete(id)) return
    if (calls.size === 0) this.#calls.delete(key)
    this.#watchers.tell(key)
  }
}
