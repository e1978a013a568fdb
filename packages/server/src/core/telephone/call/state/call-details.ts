import type { Followed } from '#core/kernel/ports/calls.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import type { Recorded } from '#core/kernel/ports/audio.ts'
import type { Station } from './party.ts'

/** Why the phones of an account did not answer. */
export type RejectionCause = Cause | 'busy_on_busy'

type Endpoint = HistoryEntry['endpoints'][number]

/** Data for one account's history entry. */
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
  /** When the last party of the account left a call that continued. */
  leftAt: number | undefined
  pickedUp: boolean
  /** Why its phones did not answer. Saved snapshots use this name. */
  refusal: RejectionCause | undefined
  /** Voicemail that answered. */
  mailbox: TakenMessage | undefined
  /** Message left in the voicemail. */
  message: StoredSound | undefined
  readonly recordings: StoredSound[]
  /** A fax line answered. */
  fax: boolean
  /** Id of the call at the edge; undefined without one. */
  edgeCall: string | undefined
  /** The client's own name of the call. */
  readonly correlationId?: string | undefined
  /** Calls as known to the account's webhook, whose end was not notified yet. Several if the call moves from one destination to the next. */
  readonly followed: Followed[]
}

/** A sound file of a call. */
export interface StoredSound extends Recorded {
  id: string
  /** Start time. */
  at: number
  /** As in RunningRecording. */
  joins?: string
  place?: string
  /** As in StoredRecording. */
  awaited?: boolean
}

interface TakenMessage {
  voicemailId: string
  /** Line or group it belongs to, if the call came through it. */
  extension: string
  userId: string | undefined
  /** The party that speaks. */
  from: Named
  called: Named
  /** A party of the account had talked before. */
  afterTalk: boolean
}

interface Named {
  /** Phone number, extension, or `anonymous`. */
  number: string
  alias: string
}

/** Calling side of a call in an account. */
export interface OutgoingSide {
  accountId: string
  userId: string
  source: Named
  target: Named
  /** Extensions that call, or for which the call is made. */
  connections: readonly string[]
  correlationId?: string | undefined
}

/** Called side of a call in an account. */
interface IncomingSide {
  accountId: string
  /** Phone line, group, device, …, or a flow id. */
  extension: string
  alias: string
  userId: string | undefined
  source: Named
  /** Dialled number or extension. */
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

const kindOf = (extension: string): string => {
  if (extension.startsWith('+')) return 'NUMBER'
  return (/^[a-y]\d+$/.test(extension) && kinds[extension.charAt(0)]) || 'FLOW'
}

/** Call details per involved account: one side each, even if the account is both caller and callee. */
export class CallDetails {
  readonly #sides = new Map<string, Side>()
  readonly #edgeCall: string | undefined
  /** Accounts whose webhook knows the call. */
  readonly notified = new Set<string>()

  constructor(edgeCall?: string) {
    this.#edgeCall = edgeCall
  }

  get sides(): readonly Side[] {
    return [...this.#sides.values()]
  }

  /** Restores the sides after a takeover. */
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
  outgoing({ connections, ...of }: OutgoingSide): void {
    const { accountId } = of
    const side = newSide({ ...of, direction: 'OUTGOING' }, this.#edgeCall)
    this.#sides.set(accountId, side)
    for (const extension of connections) side.connections.add(extension)
  }

  /** Sets the calling phone. */
  calledFrom(accountId: string, deviceId: string): void {
    this.#sides.get(accountId)?.connections.add(deviceId)
  }

  /** The call arrives in an account, or is forwarded inside it. */
  arrives({ accountId, extension, alias, userId, source, target }: IncomingSide): void {
    const known = this.#sides.get(accountId)
    const side = known ?? newSide({ accountId, direction: 'INCOMING', source, target: { number: target, alias }, userId }, this.#edgeCall)
    this.#sides.set(accountId, side)
    const first = !side.endpoints.some(({ type }) => type === 'ROUTED')
    note(side, first ? 'ROUTED' : 'FORWARDED', extension)
  }

  /** The account forwards the call to an external number. */
  forwarded(accountId: string, number: string): void {
    const side = this.#sides.get(accountId)
    if (side) note(side, 'FORWARDED', number)
  }

  /** The account's call continues with a party outside the account. */
  transferred(accountId: string, to: { place: { accountId: string } | undefined; called: string | undefined }): void {
    if (to.place?.accountId !== accountId && to.called !== undefined) this.forwarded(accountId, to.called)
  }

  /** Tracks the call for the account's webhook. */
  follow(accountId: string, followed: Followed): void {
    this.#sides.get(accountId)?.followed.push(followed)
  }

  rejected(accountId: string, cause: RejectionCause): void {
    const side = this.#sides.get(accountId)
    if (side) side.refusal ??= cause
  }

  /** The call routed through these accounts was answered; `station`: the answering phone, if it belongs to an account. */
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

  /** The phones of an account have left a call that continues. */
  left(accountId: string, at: number): void {
    const side = this.#sides.get(accountId)
    if (side?.answeredAt !== undefined) side.leftAt ??= at
  }

  /** The party before a consultation has the call again. */
  takenBack(accountId: string, station: Station | undefined): void {
    const side = this.#sides.get(accountId)
    if (side?.direction === 'INCOMING' && station?.accountId === accountId) side.userId = station.userId
  }

  /** Must run before the call is marked as answered, to detect an earlier talk. `byCallee`: the callee speaks, not the caller. */
  takesMessage(accountId: string, taken: Omit<TakenMessage, 'from' | 'afterTalk'>, { byCallee }: { byCallee: boolean }): void {
    const side = this.#sides.get(accountId)
    if (!side) return
    side.mailbox = { ...taken, from: byCallee ? side.target : side.source, afterTalk: side.answeredAt !== undefined }
    note(side, 'PICKUP', taken.voicemailId)
  }

  /** A fax line of the account answered; the fax has its own history entry. */
  takesFax(accountId: string, faxlineId: string): void {
    this.takenBy(accountId, faxlineId)
    const side = this.#sides.get(accountId)
    if (side) side.fax = true
  }

  /** An assistant of the account answered. */
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

export const newSide = (
  of: Pick<Side, 'accountId' | 'direction' | 'source' | 'target' | 'userId' | 'correlationId'>,
  edgeCall?: string,
): Side => ({
  ...of,
  edgeCall,
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
