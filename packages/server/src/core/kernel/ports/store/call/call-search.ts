/** A call as one account has it, without what was said in it. */
export interface FoundCall {
  accountId: string
  callId: string
  flowId: string | undefined
  /** Undefined for calls from before this was kept. */
  from: string | undefined
  to: string | undefined
  startedAt: number
  endedAt: number | undefined
  /** As in EndReason; undefined while it lasts. */
  reason: string | undefined
  trunkId: string | undefined
}

export interface CallSearch {
  callId?: string
  /** Somewhere in one of the numbers. */
  digits?: string
  accountId?: string
  reasons?: readonly string[]
  trunkId?: string
  from?: number
  /** Only those that began before. */
  before: number
  limit: number
  /** So many calls are looked at before the answer is given. */
  mostRead: number
}

export interface FoundCalls {
  items: FoundCall[]
  /** Everything that began later was looked at; undefined when there is nothing older. */
  readTo: number | undefined
}

/** Over all accounts: for the operator. */
export interface CallSearches {
  search(input: CallSearch): Promise<FoundCalls>
}
