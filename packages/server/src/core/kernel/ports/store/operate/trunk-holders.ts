/** What the process that registers a trunk knows of it. */
export interface HeldTrunk {
  registered: boolean
  /** When that, or whether it is usable, last changed. */
  since: number
  problem?: string
  /** Route values for calls over it (RFC 3608). */
  serviceRoute: readonly string[]
}

/** A process that registers a trunk, and no other does until then. */
export interface TrunkHolder {
  trunkId: string
  owner: string
  until: number
  state: HeldTrunk
}

export interface TrunkHolders {
  list(): Promise<TrunkHolder[]>
  /**
   * Takes those that nobody holds, whose time is over, or that a process holds which is gone, and holds on to those that it has. What
   * another process holds stays there.
   */
  hold(trunkIds: readonly string[], by: Pick<TrunkHolder, 'owner' | 'until'> & { now: number; gone: readonly string[] }): Promise<void>
  /** Nothing happens when another process has it by now. */
  note(trunkId: string, owner: string, state: HeldTrunk): Promise<void>
  /** Others may take them at once. */
  release(owner: string): Promise<void>
}
