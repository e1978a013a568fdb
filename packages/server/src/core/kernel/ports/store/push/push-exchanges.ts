/** One request to an account's own software and what came back, for its debug log. Holds numbers: it is the customer's own. */
export interface PushExchange {
  /** Later ones are greater. */
  id: string
  accountId: string
  /** The phone line whose own address was used. */
  line: string | undefined
  /** `sound`: a file of Play that could not be had. */
  event: 'newCall' | 'answer' | 'hangup' | 'dtmf' | 'sound'
  callId: string
  at: number
  url: string
  request: string
  response: string
  /** What was wrong with the answer. */
  xmlError: string | undefined
  status: number | undefined
}

export interface PushExchanges {
  insert(exchanges: readonly PushExchange[]): Promise<void>
  /** The latest first. */
  list(accountId: string, filter: { line?: string; limit: number }): Promise<PushExchange[]>
  /** Keeps the latest `kept` of each account and forgets all before `at`. */
  sweep(at: number, kept: number): Promise<number>
}
