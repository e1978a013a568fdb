import type { BargeIn, TtsWish, turnTakings } from '@offhook/contract/assistant/actions.ts'
import type { ExtendedEvent, mediaFormats, mediaRates } from '@offhook/contract/assistant/events.ts'
import type { Variables } from '@offhook/contract/assistant/variables.ts'
import type { endpointProtocols, flowEndpoints, mediaModes, redactions, FlowWish } from '@offhook/contract/v3/flow-values.ts'
import type { Static } from 'typebox'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { documentStates } from '@offhook/contract/v3/knowledge.ts'
import type { DocumentKind, Paragraph } from '#core/kernel/ports/files.ts'

/** Customer settings of a flow; stored as one document, so that settings can be added without a migration. Missing ones use their defaults. */
export interface FlowSettings {
  /** Answering endpoint: the customer's own (default), or an assistant configured here. */
  endpoint?: (typeof flowEndpoints)[number]
  /** Event URL; with both, the WebSocket is tried first. */
  webhookUrl?: string
  websocketUrl?: string
  /** Tried once if the webhook is unreachable at the start of a session. */
  fallbackUrl?: string
  /** Protocol of the endpoint; default: ours. */
  protocol?: (typeof endpointProtocols)[number]
  /** Audio over the WebSocket; missing: none. */
  media?: FlowMedia
  /** Sealed; sent as X-API-Key and X-API-TOKEN. */
  apiKey?: string
  /** Sealed webhook secrets, newest first; two during a rotation. */
  secrets?: readonly FlowSecret[]
  /** Caller ID of outbound calls: E.164 digits without the plus sign. */
  phoneNumber?: string
  /** BCP 47; default: the account's. */
  language?: string
  tts?: Static<typeof TtsWish>
  stt?: { provider?: string; languages?: readonly string[]; vocabulary?: readonly string[] }
  /** How voices say words; `say` is a spelling, or IPA between slashes. */
  pronunciations?: readonly Pronunciation[]
  bargeIn?: Static<typeof BargeIn>
  endOfTurnSilenceMs?: number
  turnTaking?: (typeof turnTakings)[number]
  /** Filler texts while the endpoint is slow. */
  fillers?: { afterMs?: number; texts?: readonly string[]; off?: boolean }
  timeouts?: {
    attemptMs?: number
    totalMs?: number
    userInputSeconds?: number
    /** Seconds of caller silence that end the call. */
    silenceSeconds?: number
    maxCallSeconds?: number
  }
  fallback?: { text?: string; transferTo?: string }
  /** Spoken after a missing reply. */
  retryText?: string
  extendedEvents?: readonly ExtendedEvent[]
  /** Allowed transfer targets: E.164, a prefix ending in *, or an extension. Empty: none. */
  transferTargets?: readonly string[]
  recording?: boolean
  /** False: events are streamed to watchers, but not stored. */
  keepTimeline?: boolean
  /** Redacted in timelines and results. */
  redact?: readonly (typeof redactions)[number][]
  /** Outbound answering machine detection: as a field of session_start (which waits for it) or as an event. */
  answeringMachineDetection?: 'off' | 'field' | 'event'
  answerAfterSeconds?: number
  /** Defaults of the variables of its calls. */
  variables?: Variables
  /** The endpoint answered 410 or failed for days: only a change of the flow enables it again. */
  disabledBecause?: string
  /** Change counter of the settings; default 1. */
  version?: number
}

export interface Pronunciation {
  word: string
  say: string
  /** BCP 47; missing: every language. */
  language?: string
}

export interface FlowMedia {
  mode: (typeof mediaModes)[number]
  format?: (typeof mediaFormats)[number]
  rate?: (typeof mediaRates)[number]
}

export interface FlowSecret {
  id: string
  sealed: string
  createdAt: number
  /** Used for signatures until then. */
  expiresAt?: number
}

export interface Flow {
  id: string
  name: string
  settings: FlowSettings
}

export interface Flows {
  /** All flows, in order of creation. */
  names(accountId: string): Promise<Pick<Flow, 'id' | 'name'>[]>
  /** Flows with these ids, in this order. */
  list(accountId: string, ids: readonly string[]): Promise<Flow[]>
  find(accountId: string, id: string): Promise<Flow | undefined>
  insert(accountId: string, flow: Flow, at: number): Promise<void>
  update(accountId: string, flow: Flow, at: number): Promise<boolean>
  /** BCP 47 languages of all flows of all accounts, for preloading. */
  languages(): Promise<string[]>
  /** Must not be called while a number is routed to the flow. */
  remove(accountId: string, id: string): Promise<boolean>
}

/** Settings that a customer can change, without the key. */
export type StoredSettings = Omit<Static<typeof FlowWish>, 'apiKey'>

/** Saved settings of a flow. */
export interface FlowVersion {
  /** Counted from 1 in each flow. */
  version: number
  settings: StoredSettings
  /** User who saved it; undefined for versions before authors were recorded. */
  author: string | undefined
  at: number
}

/** Removed with the flow, or when the account is closed. */
export interface FlowVersions {
  /** Newest first. */
  list(accountId: string, flowId: string): Promise<FlowVersion[]>
  find(accountId: string, flowId: string, version: number): Promise<FlowVersion | undefined>
  /** Removes all but the last `max`. */
  insert(accountId: string, flowId: string, version: FlowVersion, max: number): Promise<void>
  /** No-op if it exists. The time comes from the flow. */
  insertPresent(accountId: string, flowId: string, version: Pick<FlowVersion, 'version' | 'settings'>): Promise<void>
  removeOf(accountId: string): Promise<void>
}

/** Complete assistant settings with sealed secrets. */
export type StoredAssistant = AssistantSettings

export interface AssistantDraft {
  settings: StoredAssistant
  /** Change counter. */
  revision: number
  changedAt: number
}

/** Immutable except for the call count. */
export interface AssistantVersion {
  /** Counted from 1 in each flow. */
  version: number
  createdAt: number
  /** User who published it. */
  createdBy: string
  note: string | undefined
  calls: number
}

/** Distribution of versions over calls. */
export interface Rollout {
  stable: number
  /** Gets `percent` of the calls. */
  candidate: number | undefined
  percent: number
  /** `caller`: repeated callers get the same version. */
  by: 'caller' | 'call'
  /** Previously stable version. */
  previous: number | undefined
}

/** Removed with the flow, or when the account is closed. */
export interface Assistants {
  draft(accountId: string, flowId: string): Promise<AssistantDraft | undefined>
  putDraft(accountId: string, flowId: string, draft: AssistantDraft): Promise<void>
  /** Removes the draft and the rollout; versions stay for the calls that had them. */
  remove(accountId: string, flowId: string): Promise<void>
  /** Newest first. */
  versions(accountId: string, flowId: string): Promise<AssistantVersion[]>
  version(accountId: string, flowId: string, version: number): Promise<(AssistantVersion & { settings: StoredAssistant }) | undefined>
  /** Newest version with exactly these settings. */
  versionOf(accountId: string, flowId: string, settings: StoredAssistant): Promise<number | undefined>
  insertVersion(accountId: string, flowId: string, version: Omit<AssistantVersion, 'calls'>, settings: StoredAssistant): Promise<void>
  rollout(accountId: string, flowId: string): Promise<Rollout | undefined>
  /** Flows with a rollout. */
  rolledOut(accountId: string): Promise<string[]>
  putRollout(accountId: string, flowId: string, rollout: Rollout): Promise<void>
  /** Whether any flow of any account has a version. */
  areUsed(): Promise<boolean>
  countCall(accountId: string, flowId: string, version: number): Promise<void>
  /** Days are counted from 1970, in UTC. Returns the flow's total for that day, including these. */
  addTokens(accountId: string, flowId: string, day: number, tokens: number): Promise<number>
  removeOf(accountId: string): Promise<void>
}

export interface StoredDocument {
  id: string
  accountId: string
  flowId: string
  name: string
  kind: DocumentKind
  /** Source URL. */
  url: string | undefined
  state: (typeof documentStates)[number]
  /** Reason it is unusable or degraded. */
  problem: string | undefined
  bytes: number
  passages: number
  addedAt: number
}

/** Document that is ready for queries. */
export interface IndexedDocument {
  id: string
  name: string
  /** Word count per passage. */
  lengths: readonly number[]
}

export interface PassageKey {
  documentId: string
  nth: number
}

export interface StoredPassage extends PassageKey, Paragraph {}

/** Term of a document with its frequency per passage, as `postings.ts` encodes it. */
export interface StoredTerm {
  term: string
  documentId: string
  postings: string
}

/** Vectors of consecutive passages starting at `first`, as `vectors.ts` encodes them. */
interface StoredVectors {
  documentId: string
  first: number
  /** Embedding model: vectors of different models are not comparable. */
  model: string
  vectors: string
}

export type DocumentChange = Partial<Pick<StoredDocument, 'name' | 'kind' | 'state' | 'problem' | 'bytes'>> & {
  lengths?: readonly number[]
}

/** Knowledge base of assistants. */
export interface Knowledge {
  insert(document: StoredDocument): Promise<void>
  /** Newest first. */
  list(accountId: string, flowId: string): Promise<StoredDocument[]>
  find(accountId: string, flowId: string, id: string): Promise<StoredDocument | undefined>
  /** For workers, which know only the id. */
  findAny(id: string): Promise<StoredDocument | undefined>
  /** Documents of all flows. */
  listOf(accountId: string): Promise<StoredDocument[]>
  /** False if it was removed since. */
  change(id: string, change: DocumentChange): Promise<boolean>
  /** Its content stays until `erase`. */
  remove(accountId: string, flowId: string, id: string): Promise<boolean>
  putSource(documentId: string, nth: number, content: string): Promise<void>
  source(documentId: string, nth: number): Promise<string | undefined>
  removeSource(documentId: string): Promise<void>
  addPassages(passages: readonly StoredPassage[]): Promise<void>
  /** In document order. */
  listPassages(documentId: string): Promise<StoredPassage[]>
  findPassages(keys: readonly PassageKey[]): Promise<StoredPassage[]>
  addTerms(flowId: string, terms: readonly StoredTerm[]): Promise<void>
  listTerms(flowId: string, terms: readonly string[]): Promise<StoredTerm[]>
  /** Documents that are ready. */
  listIndexed(accountId: string, flowId: string): Promise<IndexedDocument[]>
  addVectors(vectors: StoredVectors): Promise<void>
  /** Vectors from this passage on, in order. */
  listVectors(input: { documentId: string; model: string; from: number; limit: number }): Promise<StoredVectors[]>
  /** Erases at most `limit` rows of passages, terms and vectors. False if none are left. */
  erase(documentId: string, limit: number): Promise<boolean>
}
