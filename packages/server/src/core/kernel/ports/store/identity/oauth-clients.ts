export interface OauthClient {
  clientId: string
  userId: string
  name: string
  redirectUris: string[]
  secretHash: string
}

export interface OauthClients {
  list(accountId: string, userId: string): Promise<OauthClient[]>
  count(accountId: string): Promise<number>
  find(accountId: string, clientId: string): Promise<OauthClient | undefined>
  /** For the identity provider, where the client's id is all there is. Not found when its user or account is gone. */
  findAnywhere(clientId: string): Promise<OauthClient | undefined>
  insert(accountId: string, client: OauthClient, at: number): Promise<void>
  update(accountId: string, clientId: string, change: Partial<Pick<OauthClient, 'name' | 'redirectUris' | 'secretHash'>>): Promise<void>
  remove(accountId: string, clientId: string): Promise<void>
}
