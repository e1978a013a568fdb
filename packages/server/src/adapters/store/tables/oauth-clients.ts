import type { OauthClients } from '../../../core/ports/store/oauth-clients.ts'
import type { Db } from '../schema/index.ts'

export const oauthClients = (_db: Db): OauthClients => ({})
