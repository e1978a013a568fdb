/** That one run of one process is there, and has what is written under its name. */
export interface Lease {
  owner: string
  /** It says so again and again before this; later nobody has what it had. */
  until: number
}

export interface Leases {
  renew(lease: Lease): Promise<void>
  find(owner: string): Promise<Lease | undefined>
  /** Of earlier runs, on a database that only one process uses at a time. */
  listOthers(owner: string): Promise<Lease[]>
  /** Nothing happens when it was renewed meanwhile. */
  remove(lease: Lease): Promise<void>
}
