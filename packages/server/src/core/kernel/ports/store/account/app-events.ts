export interface AppEvent {
  id: number
  type: string
  name: string
  payload: Record<string, string>
}

/** What a user of the account should see once, until it is dismissed. */
export interface AppEvents {
  list(accountId: string): Promise<AppEvent[]>
  insert(accountId: string, event: Omit<AppEvent, 'id'>, at: number): Promise<void>
  remove(accountId: string, id: number): Promise<boolean>
}
