import { randomUUID } from 'node:crypto'
import type { CallerIdentity, Leg } from '#core/kernel/ports/telephony.ts'
import type { Meter } from '../money/meter.ts'

/** A phone of an account. */
export interface Station {
  readonly accountId: string
  readonly deviceId: string
  readonly userId: string
}

/** A party of a call: one leg of ours, and what is known about its far end. */
export interface Party {
  readonly id: string
  readonly leg: Leg
  /** The phone of an account that it is; none for parties outside. */
  readonly station: Station | undefined
  /** It came, or is reached, over its own registration, so what it asks for is asked by the account. */
  readonly trusted: boolean
  /** How the others see it. */
  readonly identity: CallerIdentity
  /** What was called to reach it, before the call was forwarded; undefined for the caller. */
  calledAs: string | undefined
  readonly meter: Meter | undefined
  /** Whose place it has: the caller's or the callee's. */
  role: Role
  muted: boolean
  /** By us: its phone was told, and it hears music. */
  held: boolean
  /** Hears music without being on hold, because the other party is being transferred. */
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
