export interface TrunkState {
  /** We are logged in at the carrier. Always false for trunks that do not register. */
  registered: boolean
  /** Calls can go out over it: it answers and, if it is to be registered, it is. */
  usable: boolean
  /** Running ones, in both directions. */
  calls: number
  /** When `registered` or `usable` last changed. */
  since: number
  /** The carrier's last rejection: `403 Forbidden`. */
  problem?: string
}

/** What the telephone side knows about trunks at this moment. */
export interface TrunkStates {
  /** Undefined for trunks that are not active, and for a moment after they were added. */
  of(trunkId: string): TrunkState | undefined
  /** The addresses of its host. */
  hostsOf(trunkId: string): readonly string[]
}
