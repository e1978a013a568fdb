/** What a customer set for a flow; kept as one document, so that settings can be added without a migration. */
export interface FlowSettings {
  /** Where events go. */
  webhookUrl?: string
  /** Shown to the people whom the flow calls: digits of E.164 without the plus sign. */
  phoneNumber?: string
}

export interface Flow {
  id: string
  name: string
  settings: FlowSettings
}

export interface Flows {
  list(accountId: string): Promise<Flow[]>
  find(accountId: string, id: string): Promise<Flow | undefined>
  insert(accountId: string, flow: Flow, at: number): Promise<void>
  update(accountId: string, flow: Flow, at: number): Promise<boolean>
  /** Must not be called while a number leads to the flow. */
  remove(accountId: string, id: string): Promise<boolean>
}
