import type { FlowWish } from '@offhook/contract/v3/flow-values.ts'
import type { Static } from 'typebox'

/** What a customer can set, but for the key. */
export type StoredSettings = Omit<Static<typeof FlowWish>, 'apiKey'>

/** The settings of a flow as they were once saved. */
export interface FlowVersion {
  /** Counted from 1 in each flow. */
  version: number
  settings: StoredSettings
  /** The user who saved it; undefined: it was before anybody noted that. */
  author: string | undefined
  at: number
}

/** All of it goes with the flow, or when the account is closed. */
export interface FlowVersions {
  /** The newest first. */
  list(accountId: string, flowId: string): Promise<FlowVersion[]>
  find(accountId: string, flowId: string, version: number): Promise<FlowVersion | undefined>
  /** Those before the last `most` are forgotten. */
  insert(accountId: string, flowId: string, version: FlowVersion, max: number): Promise<void>
  /** Nothing happens when it is there already. When it was saved is what the flow says. */
  insertPresent(accountId: string, flowId: string, version: Pick<FlowVersion, 'version' | 'settings'>): Promise<void>
  removeOf(accountId: string): Promise<void>
}
