import type { auditStreamKinds } from '@offhook/contract/v1/audit.ts'
import type { BusState } from '@offhook/contract/operator/nodes.ts'
import type { numberFormats, transports, trunkCodecs } from '@offhook/contract/operator/trunks.ts'

/** State that a node publishes periodically. */
export interface ClusterNode {
  /** One run of one process, see Leases. */
  id: string
  name: string
  version: string
  http: string
  sip: string
  startedAt: number
  seenAt: number
  /** Accepts no new calls. */
  draining: boolean
  /** Ends as soon as it has no calls. */
  stopping: boolean
  work: NodeWork
}

/** Current load. */
export interface NodeWork {
  calls: number
  sessions: number
  faxes: number
  /** Processors kept busy. */
  processors: number
  /** Load of its main thread, from 0 to 1. */
  busy: number
  memoryBytes: number
  /** Bus connection state; missing from nodes of older versions. */
  bus?: BusState
  /** OFFHOOK_REGION. */
  region?: string
}

export interface Nodes {
  /** Stores the heartbeat. Resolves with whether the operator wants it to drain. */
  keep(node: ClusterNode): Promise<boolean>
  /** Nodes seen since then, oldest first; `drain`: requested by the operator. */
  list(since: number): Promise<(ClusterNode & { drain: boolean })[]>
  /** False if the node does not exist. */
  setDrain(id: string, drain: boolean): Promise<boolean>
  remove(id: string): Promise<void>
  /** Removes earlier nodes at the same address, which this one replaced. */
  removeReplacedBy(node: Pick<ClusterNode, 'id' | 'name' | 'http' | 'sip'>): Promise<void>
  removeSilentSince(at: number): Promise<number>
}

/** Connection settings of a carrier; stored as one document, so that settings can be added without a migration. */
export interface TrunkSettings {
  host: string
  port: number
  transport: (typeof transports)[number]
  /** host, host:port or host:port;transport=tcp; empty: none. Missing in data of older versions. */
  outboundProxy?: string
  username: string
  realm: string
  register: boolean
  registerSeconds: number
  sourceAddresses: string[]
  /** Media sources allowed in addition to its SDP and signalling addresses. */
  mediaAddresses: string[]
  numberFormat: (typeof numberFormats)[number]
  /** E.164; empty: none. */
  defaultNumber: string
  codecs: (typeof trunkCodecs)[number][]
  maxCalls: number
  /** Never exceeded, not even briefly. Missing in trunks of older versions. */
  strictMaxCalls?: boolean
  callsPerSecond: number
  /** Emergency calls carry the address of the caller. Missing in trunks of older versions. */
  emergencyLocation?: boolean
  /** Lowest first. */
  priority: number
}

export interface Trunk {
  id: string
  name: string
  settings: TrunkSettings
  passwordSealed: string | undefined
  active: boolean
  createdAt: number
  updatedAt: number
}

export interface Trunks {
  /** In order of creation. */
  list(): Promise<Trunk[]>
  find(id: string): Promise<Trunk | undefined>
  insert(trunk: Trunk): Promise<void>
  update(trunk: Omit<Trunk, 'createdAt'>): Promise<boolean>
  remove(id: string): Promise<boolean>
}

/** Trunk state known to the node that registers it. */
export interface HeldTrunk {
  registered: boolean
  /** Time of the last change of `registered` or of usability. */
  since: number
  problem?: string
  /** Route values for calls over it (RFC 3608). */
  serviceRoute: readonly string[]
}

/** Node that exclusively registers a trunk until then. */
export interface TrunkHolder {
  trunkId: string
  owner: string
  until: number
  state: HeldTrunk
}

export interface TrunkHolders {
  list(): Promise<TrunkHolder[]>
  /** Takes trunks that are free, expired or held by a node that is gone, and renews its own. Trunks of other nodes stay. */
  hold(trunkIds: readonly string[], by: Pick<TrunkHolder, 'owner' | 'until'> & { now: number; gone: readonly string[] }): Promise<void>
  /** No-op if another node has it by now. */
  note(trunkId: string, owner: string, state: HeldTrunk): Promise<void>
  /** Lets other nodes take them immediately. */
  release(owner: string): Promise<void>
}

interface Operator {
  id: string
  email: string
  name: string
}

export interface Operators {
  insert(operator: Operator & { passwordHash: string; createdAt: number }): Promise<boolean>
  list(): Promise<Operator[]>
  find(id: string): Promise<Operator | undefined>
  findCredentials(email: string): Promise<{ id: string; passwordHash: string } | undefined>
}

/** Facts about the installation itself, such as that the first start is done. */
export interface Settings {
  get(name: string): Promise<string | undefined>
  /** False if it is already set; the value stays. */
  setOnce(name: string, value: string): Promise<boolean>
  /** False if it was changed concurrently. */
  replace(name: string, change: { from: string; to: string }): Promise<boolean>
}

export interface AuditEntry {
  seq: number
  at: number
  actor: string
  action: string
  target: string
  detail: unknown
  previousHash: string
  hash: string
}

/** Append-only. Each entry contains the hash of its predecessor, so that no entry can be changed or removed unnoticed. */
export interface Audit {
  /** `chain` is an account id, or `operator` for changes outside any account. */
  append(chain: string, entry: { at: number; actor: string; action: string; target: string; detail?: unknown }): Promise<void>
  list(chain: string, page: { afterSeq: number; limit: number }): Promise<AuditEntry[]>
  /** All chains with a head or entries. */
  chains(): Promise<string[]>
  /** Tail of the chain, where the next entry is attached; seq 0 for a chain that does not exist. */
  head(chain: string): Promise<{ seq: number; hash: string }>
}

/** Receiver of the audit log of an account. */
export interface AuditStream {
  id: string
  kind: (typeof auditStreamKinds)[number]
  url: string
  /** Webhook: signing secret. OTLP: headers as JSON. */
  secretSealed: string | undefined
  /** seq of the last delivered entry. */
  position: number
  /** Consecutive failures. */
  failures: number
  failingSince: number | undefined
  failure: string | undefined
  createdAt: number
}

export interface AuditStreams {
  list(accountId: string): Promise<AuditStream[]>
  insert(accountId: string, stream: AuditStream): Promise<void>
  find(accountId: string, id: string): Promise<AuditStream | undefined>
  noteDelivered(accountId: string, id: string, position: number): Promise<void>
  noteFailure(accountId: string, id: string, failure: { at: number; message: string }): Promise<void>
  /** False if there is none. */
  remove(accountId: string, id: string): Promise<boolean>
  removeAll(accountId: string): Promise<void>
}

/** Histogram of durations by magnitude: bucket, count, bucket, count … See core/operate/metrics/durations.ts. */
export type SavedDurations = readonly number[]

/** Call statistics of one trunk. */
export interface SavedTrunk {
  incoming: number
  outgoing: number
  answered: number
  /** Failures of the carrier, or of the route to it. */
  failed: number
  /** Packets expected from the carrier, and packets lost. */
  packets: number
  lost: number
  /** Mean, weighted by each call's packets. */
  jitterMs: number
}

export interface SavedFigures {
  callsStarted: number
  callsAnswered: number
  callsFailed: number
  /** Maximum concurrent calls. */
  callsRunning: number
  endpointFailures: number
  httpFailures: number
  setUp: SavedDurations
  turn: SavedDurations
  endpoint: SavedDurations
  http: SavedDurations
  /** By trunk id. Missing in data of older versions. */
  trunks?: Readonly<Record<string, SavedTrunk>>
}

/** Figures of one process for `stepMs` from `at` on. */
export interface MetricSample {
  nodeId: string
  stepMs: number
  at: number
  figures: SavedFigures
}

export interface Metrics {
  /** Replaces existing samples. */
  keep(samples: readonly MetricSample[]): Promise<void>
  /** Samples of all processes that begin in [from, until). */
  list(stepMs: number, from: number, until: number): Promise<MetricSample[]>
  removeBefore(at: number): Promise<number>
}

/** Time-partitioned tables, if the database supports them: expired partitions are dropped as a whole, leaving no remains. */
export interface Partitions {
  /** Creates the upcoming daily partitions. */
  keepAhead(now: number): Promise<void>
}
