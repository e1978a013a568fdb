// Generated from the migrations: npm run generate.
import type { Generated } from 'kysely'
import type { Fixed, Flag, Json, Serial } from './columns.ts'

export interface IdentitySchema {
  operator: { id: string; email: string; name: string; password_hash: string; created_at: number }
  app_user: {
    account_id: Fixed<string>
    ext: Fixed<string>
    subject: Fixed<string>
    firstname: string
    lastname: string
    email: string
    password_hash: string
    admin: Flag
    default_device: string | null
    busy_on_busy: Flag
    address_id: number | null
    timezone: string
    locale: string
    created_at: number
    disabled_at: number | null
    role: 'BILLING' | 'DEVELOPER' | null
    inactive_at: number | null
    locale_chosen: Generated<Flag>
    role_ids: Json | null
  }
  token: {
    id: string
    hash: string
    kind: 'access' | 'refresh' | 'session' | 'personal' | 'operator'
    account_id: string | null
    user_ext: string | null
    operator_id: string | null
    client_id: string | null
    grant_id: string | null
    name: string
    scopes: string
    created_at: number
    expires_at: number | null
    spent_at: number | null
    last_seen_at: number | null
    program: string | null
    place: string | null
    second_factor: Generated<Flag>
  }
  leash: { account_id: string; user_ext: string; id: string; holder: 'token' | 'client'; rules: Json }
  own_role: { account_id: string; id: string; name: string; permissions: Json; scope: Json | null; created_at: number }
  oauth_client: {
    client_id: string
    account_id: string
    user_ext: string
    name: string
    secret_hash: string
    redirect_uris: Json
    created_at: number
  }
  oidc_record: {
    model: string
    id: string
    payload: Json
    grant_id: string | null
    uid: string | null
    subject: string | null
    client_id: string | null
    expires_at: number | null
    consumed_at: number | null
  }
  signing_key: { kid: string; jwk_sealed: string; created_at: number }
  password_reset: {
    nonce_hash: string
    account_id: string
    user_ext: string
    created_at: number
    expires_at: number
    used_at: number | null
  }
  invitation: {
    id: string
    account_id: string
    email: string
    firstname: string
    lastname: string
    role: 'ADMIN' | 'USER' | 'BILLING' | 'DEVELOPER'
    line_name: string
    locale: string
    nonce_hash: string
    invited_by: string
    created_at: number
    expires_at: number
  }
  email_change: { nonce_hash: string; account_id: string; user_ext: string; email: string; expires_at: number }
  totp: { subject: string; secret_sealed: string; last_counter: number; created_at: number; confirmed_at: number | null }
  recovery_code: { subject: string; hash: string; used_at: number | null }
  passkey: {
    id: string
    subject: string
    site: string
    credential_id: string
    public_key: string
    counter: number
    transports: string
    name: string
    created_at: number
    last_used_at: number | null
  }
  spent_challenge: { hash: string; expires_at: number }
  attempt: { id: Serial; bucket: string; at: number }
}
