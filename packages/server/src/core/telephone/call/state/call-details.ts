import type { Followed } from '#core/kernel/ports/call-guide.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call/history.ts'
import type { Cause, Recorded } from '#core/kernel/ports/telephony.ts'
import type { Station } from './party.ts'

/** Why an account's phones did not take a call. */
export type RejectionCause = Cause | 'busy_on_busy'

export type Endpoint = HistoryEntry['endpoints'][number]

/** What one account will read about a call. */
export interface Side {
  readonly accountId: string
  readonly direction: 'INCOMING' | 'OUTGOING'
  readonly source: Named
  readonly target: Named
  userId: string | undefined
  readonly endpoints: Endpoint[]
  /** Extensions that took part. */
  readonly connections: Set<string>
  answeredAt: number | undefined
  /** When the last party of the account left the call, although it went on. */
  leftAt: number | undefined
  pickedUp: boolean
  /** Why its phones did not take the call. Saved snapshots have it under this name. */
  refusal: RejectionCause | undefined
  /** The voicemail that took it … */
  mailbox: TakenMessage | undefined
  /** … and what was said to it. */
  message: StoredSound | undefined
  readonly recordings: StoredSound[]
  /** A fax line took it. */
  fax: boolean
  /** What the account's own software knows of it and was not told the end of. Several when the call goes from one place to the next. */
  readonly followed: Followed[]
}

/** A file with sound that a call leaves behind. */
export interface StoredSound extends Recorded {
  id: string
  /** When it began. */
  at: number
}

/** A voicemail of the account has the call. */
export interface TakenMessage {
  voicemailId: string
  /** The line or group to which it belongs, if the call came by way of it. */
  extension: string
  userId: string | undefined
  /** Who speaks. */
  from: Named
  called: Named
  /** A party of the account had talked before. */
  afterTalk: boolean
}

export interface Named {
  /** A number, an extension, or `anonymous`. */
  number: string
  alias: string
}

/** Where in an account a call begins. */
export interface OutgoingSide {
  accountId: string
  userId: string
  source: Named
  target: Named
  /** Extensions that call, or for which the call is made. */
  connections: readonly string[]
}

/** Where in an account a call arrives. */
export interface IncomingSide {
  accountId: string
  /** A phone line, group, device, …, or the id of a flow. */
  extension: string
  alias: string
  userId: string | undefined
  source: Named
  /** The number or extension that was called. */
  target: string
}

const kinds: Record<string, string> = {
  p: 'PHONELINE',
  g: 'GROUP',
  f: 'FAXLINE',
  v: 'VOICEMAIL',
  s: 'SMS',
  e: 'REGISTER',
  y: 'MOBILE',
  x: 'EXTERNAL',
}

export const kindOf = (extension: string): string => {
  if (extension.startsWith('+')) return 'NUMBER'
  return (/^[a-y]\d+$/.test(extension) && kinds[extension.charAt(0)]) || 'FLOW'
}

/** What happens in a call, noted for every account that it concerns: one side for each, also when it is on both ends. */
export class CallDetails {
  readonly #sides = new Map<string, Side>()
  /** Accounts whose software knows the call by a name. */
  readonly notified = new Set<string>()

  get sides(): readonly Side[] {
    return [...this.#sides.values()]
  }

  /** Of a call that another process had. */
  resume(sides: readonly Side[]): void {
    for (const side of sides) {
      this.#sides.set(side.accountId, side)
      if (side.followed.length > 0) this.notified.add(side.accountId)
    }
  }

  concerns(accountId: string): boolean {
    return this.#sides.has(accountId)
  }

  /** A phone or an assistant of the account calls. */
  outgoing({ accountId, userId, source, target, connections }: OutgoingSide): void {
    const side = newSide({ accountId, direction: 'OUTGOING', source, target, userId })
    this.#sides.set(accountId, side)
    for (const extension of connections) side.connections.add(extension)
  }

  /** One of its phones is the one that calls. */
  calledFrom(accountId: string, deviceId: string): void {
    this.#sides.get(accountId)?.connections.add(deviceId)
  }

  /** The call arrives in an account, or is forwarded inside of it. */
  arrives({ accountId, extension, alias, userId, source, target }: IncomingSide): void {
    const known = this.#sides.get(accountId)
    const side = known ?? newSide({ accountId, direction: 'INCOMING', source, target: { number: target, alias }, userId })
    this.#sides.set(accountId, side)
    const first = !side.endpoints.some(({ type }) => type === 'ROUTED')
    note(side, first ? 'ROUTED' : 'FORWARDED', extension)
  }

  /** The account forwards the call to a number outside. */
  forwarded(accountId: string, number: string): void {
    const side = this.#sides.get(accountId)
    if (side) note(side, 'FORWARDED', number)
  }

  /** The account's call goes on with a party that is not of the account. */
  transferred(accountId: string, to: { place: { accountId: string } | undefined; called: string | undefined }): void {
    if (to.place?.accountId !== accountId && to.called !== undefined) this.forwarded(accountId, to.called)
  }

  /** The account's own software wants to know what becomes of it. */
  follow(accountId: string, followed: Followed): void {
    this.#sides.get(accountId)?.followed.push(followed)
  }

  rejected(accountId: string, cause: RejectionCause): void {
    const side = this.#sides.get(accountId)
    if (side) side.refusal ??= cause
  }

  /** The call to which these accounts led was taken; `station` is the phone, if it is one of an account. */
  answered(accountIds: Iterable<string>, station: Station | undefined, at: number): void {
    for (const side of this.#sides.values()) if (side.direction === 'OUTGOING') side.answeredAt ??= at
    for (const accountId of accountIds) {
      const side = this.#sides.get(accountId)
      if (!side) continue
      side.answeredAt ??= at
      side.leftAt = undefined
      if (station?.accountId === accountId) pickUp(side, station)
    }
  }

  /** The phones of an account are out of a call that goes on. */
  left(accountId: string, at: number): void {
    const side = this.#sides.get(accountId)
    if (side?.answeredAt !== undefined) side.leftAt ??= at
  }

  /** The party that had the call before a consultation has it again. */
  takenBack(accountId: string, station: Station | undefined): void {
    const side = this.#sides.get(accountId)
    if (side?.direction === 'INCOMING' && station?.accountId === accountId) side.userId = station.userId
  }

  /** Comes before it is answered: until then the account may have talked. `byCallee`: the callee speaks, not the caller. */
  takesMessage(accountId: string, taken: Omit<TakenMessage, 'from' | 'afterTalk'>, { byCallee }: { byCallee: boolean }): void {
    const side = this.#sides.get(accountId)
    if (!side) return
    side.mailbox = { ...taken, from: byCallee ? side.target : side.source, afterTalk: side.answeredAt !== undefined }
    note(side, 'PICKUP', taken.voicemailId)
  }

  /** Taken by one of its fax lines: what came of it is told by an entry about the fax. */
  takesFax(accountId: string, faxlineId: string): void {
    this.takenBy(accountId, faxlineId)
    const side = this.#sides.get(accountId)
    if (side) side.fax = true
  }

  /** Taken by an assistant of the account. */
  takenBy(accountId: string, extension: string): void {
    const side = this.#sides.get(accountId)
    if (!side) return
    side.pickedUp = true
    note(side, 'PICKUP', extension)
  }

  leftMessage(accountId: string, message: StoredSound): void {
    const side = this.#sides.get(accountId)
    if (side) side.message = message
  }

  recorded(accountId: string, sound: StoredSound): void {
    this.#sides.get(accountId)?.recordings.push(sound)
  }
}

export const newSide = (of: Pick<Side, 'accountId' | 'direction' | 'source' | 'target' | 'userId'>): Side => ({
  ...of,
  endpoints: [],
  connections: new Set(),
  answeredAt: undefined,
  leftAt: undefined,
  pickedUp: false,
  refusal: undefined,
  mailbox: undefined,
  message: undefined,
  recordings: [],
  fax: false,
  followed: [],
})

const note = (side: Side, type: Endpoint['type'], extension: string): void => {
  side.endpoints.push({ type, extension, kind: kindOf(extension) })
  if (!extension.startsWith('+')) side.connections.add(extension)
}

const pickUp = (side: Side, { deviceId, userId }: Station): void => {
  side.pickedUp = true
  if (side.direction === 'INCOMING') side.userId = userId
  note(side, 'PICKUP', deviceId)
}
