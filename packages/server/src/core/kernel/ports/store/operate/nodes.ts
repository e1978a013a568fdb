import type { BusState } from '@offhook/contract/operator/nodes.ts'

/** What a process says of itself, again and again. */
export interface ClusterNode {
  /** One run of one process, see Leases. */
  id: string
  name: string
  version: string
  http: string
  sip: string
  startedAt: number
  seenAt: number
  /** It takes no new calls … */
  draining: boolean
  /** … and ends as soon as it has none. */
  stopping: boolean
  work: NodeWork
}

/** What it does at that moment. */
export interface NodeWork {
  calls: number
  sessions: number
  faxes: number
  /** How many processors it keeps busy. */
  processors: number
  /** How much of the time its main thread is, from 0 to 1. */
  busy: number
  memoryBytes: number
  /** How it reaches the others; processes of older versions do not say. */
  bus?: BusState
}

export interface Nodes {
  /** It is there. Resolves to whether the operator wants it to drain. */
  keep(node: ClusterNode): Promise<boolean>
  /** Those that were heard of since then, the oldest first; `drain`: the operator wants it. */
  list(since: number): Promise<(ClusterNode & { drain: boolean })[]>
  /** False when there is no such process. */
  setDrain(id: string, drain: boolean): Promise<boolean>
  remove(id: string): Promise<void>
  /** Processes that were where this one is: it has taken their place. */
  removeReplacedBy(node: Pick<ClusterNode, 'id' | 'name' | 'http' | 'sip'>): Promise<void>
  removeSilentSince(at: number): Promise<number>
}
