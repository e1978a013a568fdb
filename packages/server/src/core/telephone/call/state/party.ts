import { randomUUID } from 'node:crypto'
import type { CallerIdentity, Leg } from '#core/kernel/ports/telephony.ts'
import type { Meter } from '../money/meter.ts'

/** A phone of an account. */
export interface Station {
  readonly accountId: string
  readonly deviceId: string
  readonly userId: string
}

/** A party of a call: one leg and what is known about its far end. */
export interface Party {
  readonly id: string
  readonly leg: Leg
  /** Undefined for external parties. */
  readonly station: Station | undefined
  /** Connected through its own registration, so its requests count as the account's. */
  readonly trusted: boolean
  /** Identity shown to the others. */
  readonly identity: CallerIdentity
  /** Number dialled to reach it, before forwarding; undefined for the caller. */
  calledAs: string | undefined
  readonly meter: Meter | undefined
  /** Caller or callee, including the role taken over from a replaced party. */
  role: Role
  muted: boolean
  /** Held by us: the phone was signalled and hears music. */
  held: boolean
  /** Hears music without being held, because the other party is being transferred. */
  hearsMusic: boolean
}

export type Role = 'caller' | 'callee'

export const newParty = (
  of: Pick<Party, 'leg' | 'identity'> & Partial<Pick<Party, 'station' | 'trusted' | 'calledAs' | 'meter' | 'role'>>,
): Party => ({
  id: randomUUID(),
  leg: of.leg,
  station: of.station,
  trusted: of.trusted ?? false,
  identity: of.identity,
  calledAs: of.calledAs,
  meter: of.meter,
  role: of.role ?? 'callee',
  muted: false,
  held: false,
  hearsMusic: false,
})
