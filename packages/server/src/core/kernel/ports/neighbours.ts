/** What a process says of itself several times a second. */
export interface PeerNode {
  /** One run of one process: the owner in leases and of running calls. */
  owner: string
  /** Where it answers to `/health`. */
  http: string
  /** Where calls can be sent: `sip:10.0.0.11:5060`. */
  sip: string
  version: string
  /** The newest format of call snapshots that it can go on with. */
  snapshots: number
  calls: number
  /** It takes no new calls: it is told to, or about to end. */
  draining: boolean
}

/** The other processes of the installation, as far as they are heard on the bus. A process on its own has none. */
export interface PeerNodes {
  /** This run of this process. */
  readonly self: string
  /** Those that were heard of a moment ago, and those of which it is not sure what became of them. */
  others(): readonly PeerNode[]
  /** The process is certainly dead or stands still: not heard of, not reachable, and the fault is neither ours nor that of the bus. */
  onGone(gone: (peerNode: PeerNode) => void): () => void
  /** Somebody came, said goodbye, is gone or was given up. */
  onChange(changed: () => void): () => void
  /** This process itself stood still for so long that others may have taken what it had. */
  onStall(stalled: (ms: number) => void): () => void
  /** Should have said that it is there some time ago: it stood still and `onStall` has not told so yet. False for a process on its own. */
  late(): boolean
}
