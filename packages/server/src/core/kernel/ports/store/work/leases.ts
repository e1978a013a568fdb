/** That one run of one process is there, and has what is written under its name. */
export interface Lease {
  owner: string
  /** It renews its lease before this; later what it had is free. */
  until: number
}

export interface Leases {
  renew(lease: Lease): Promise<void>
  find(owner: string): Promise<Lease | undefined>
  listOthers(owner: string): Promise<Lease[]>
  /** False when it was renewed meanwhile; otherwise it is not before the transaction is over. */
  lock(lease: Lease): Promise<boolean>
  /** Nothing happens when it was renewed meanwhile, or when a call or a fax is left under its name. */
  remove(lease: Lease): Promise<void>
}
