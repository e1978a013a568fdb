import type { Cause, LegQuality } from './telephony.ts'
import type { HeldTrunk } from './store/operate/trunk-holders.ts'

export interface TrunkState {
  /** We are logged in at the carrier. Always false for trunks that do not register. */
  registered: boolean
  /** Calls can go out over it: it answers and, if it is to be registered, it is. */
  usable: boolean
  /** Running ones, in both directions. */
  calls: number
  /** When `registered` or `usable` last changed. */
  since: number
  /** The process that registers it, where there may be several. */
  registeredBy?: string
  /** The carrier's last rejection: `403 Forbidden`. */
  problem?: string
}

/** What the telephone side knows about trunks at this moment. */
export interface TrunkStates {
  /** Of all that are active. */
  all(): { id: string; name: string; state: TrunkState }[]
  /** Undefined for trunks that are not active, and for a moment after they were added. */
  of(trunkId: string): TrunkState | undefined
  /** The addresses of its host. */
  hostsOf(trunkId: string): readonly string[]
}

/** `us`: this process registers it. Undefined: nobody does yet. */
export type Holder = { us: true; owner?: string } | { us: false; owner: string; state: HeldTrunk } | undefined

/** Decides which process registers at a carrier: one at a time. */
export interface TrunkHolding {
  /** All that are to be registered; somebody does from now on. */
  want(trunkIds: readonly string[]): void
  of(trunkId: string): Holder
  /** What this process, which registers it, knows of it now. */
  note(trunkId: string, state: HeldTrunk): void
  /** Told when what `of` says may be another. */
  onChange(changed: () => void): void
  /** Others may register at once. */
  close(): Promise<void>
}

/** A call over a trunk, when it is over: also one that the carrier refused. */
export interface TrunkCallEnd {
  trunkId: string
  direction: 'incoming' | 'outgoing'
  answered: boolean
  cause: Cause
  /** Undefined when no packet came. */
  quality: LegQuality | undefined
}
