export interface OauthClients {}
