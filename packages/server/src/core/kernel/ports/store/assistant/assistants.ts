import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'

/** Everything that makes an assistant; its secrets are sealed. */
export type StoredAssistant = AssistantSettings

export interface AssistantDraft {
  settings: StoredAssistant
  /** Counts its changes. */
  revision: number
  changedAt: number
}

/** Never changes, but for how many calls had it. */
export interface AssistantVersion {
  /** Counted from 1 in each flow. */
  version: number
  createdAt: number
  /** The user who published it. */
  createdBy: string
  note: string | undefined
  calls: number
}

/** Which version calls get. */
export interface Rollout {
  stable: number
  /** Is given to so many calls of a hundred. */
  candidate: number | undefined
  percent: number
  /** `caller`: who calls again gets the same one. */
  by: 'caller' | 'call'
  /** Was stable before. */
  previous: number | undefined
}

/** All of it goes with the flow, or when the account is closed. */
export interface Assistants {
  draft(accountId: string, flowId: string): Promise<AssistantDraft | undefined>
  putDraft(accountId: string, flowId: string, draft: AssistantDraft): Promise<void>
  /** The newest first. */
  versions(accountId: string, flowId: string): Promise<AssistantVersion[]>
  version(accountId: string, flowId: string, version: number): Promise<(AssistantVersion & { settings: StoredAssistant }) | undefined>
  /** The newest version with exactly these settings. */
  versionOf(accountId: string, flowId: string, settings: StoredAssistant): Promise<number | undefined>
  insertVersion(accountId: string, flowId: string, version: Omit<AssistantVersion, 'calls'>, settings: StoredAssistant): Promise<void>
  rollout(accountId: string, flowId: string): Promise<Rollout | undefined>
  /** The flows that have one. */
  rolledOut(accountId: string): Promise<string[]>
  putRollout(accountId: string, flowId: string, rollout: Rollout): Promise<void>
  /** Whether any flow of any account has a version. */
  areUsed(): Promise<boolean>
  countCall(accountId: string, flowId: string, version: number): Promise<void>
  /** Days are counted from 1970, in UTC. Gives how many the flow has used on that day, these among them. */
  addTokens(accountId: string, flowId: string, day: number, tokens: number): Promise<number>
  removeOf(accountId: string): Promise<void>
}
