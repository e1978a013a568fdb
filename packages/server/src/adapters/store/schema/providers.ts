// Generated from the migrations: npm run generate.
import type { Flag, Json } from './columns.ts'

export interface ProvidersSchema {
  identity_provider: {
    id: string
    account_id: string
    kind: 'OIDC' | 'SAML'
    name: string
    settings: Json
    secret_sealed: string | null
    enforced: Flag
    scim_hash: string | null
    created_at: number
  }
  provider_domain: { provider_id: string; account_id: string; domain: string; verified_at: number | null }
  provider_user: {
    provider_id: string
    account_id: string
    user_ext: string
    subject: string | null
    external_id: string | null
    created_at: number
  }
  provider_session: { token_id: string; provider_id: string; account_id: string; user_ext: string; hint_sealed: string; created_at: number }
  provider_group: { id: string; provider_id: string; account_id: string; name: string; external_id: string | null; created_at: number }
  provider_group_member: { group_id: string; account_id: string; user_ext: string }
}
