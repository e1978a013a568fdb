// Generated from the migrations: npm run generate.
import type { Generated } from 'kysely'
import type { Flag, Json, Serial } from './columns.ts'

export interface RecordsSchema {
  history_entry: {
    id: string
    account_id: string
    user_ext: string | null
    session_id: string
    type: 'CALL' | 'VOICEMAIL' | 'SMS' | 'FAX'
    direction: string
    source: string
    target: string
    source_alias: string
    target_alias: string
    status: string
    connection_ids: Json
    endpoints: Json
    detail: Json
    created_at: number
    modified_at: number
    read: Flag
    archived: Flag
    starred: Flag
    note: string
    labels: Json
    edge_call: string | null
    correlation_id: string | null
  }
  /** The user and the extensions of each entry, to find entries by them; what is shown stands in the entry. */
  history_party: { account_id: string; ext: string; entry_id: string }
  /** Searchable notes and transcripts of an entry; the database keeps them up to date. */
  history_text: { id: Serial; account_id: string; entry_id: string; created_at: number; body: string }
  /** Every number that an account has an entry with; kept by the database itself. */
  party_number: { account_id: string; number: string; digits: string }
  recording: {
    account_id: string
    id: string
    call_id: string
    kind: 'CALL' | 'VOICEMAIL'
    created_at: number
    duration_ms: number
    bytes: number
    truncated: Flag
    part_of: string | null
    place: string | null
    awaited: Generated<Flag>
  }
  recording_rule: { account_id: string; number_id: string; rule: 'none' | 'announce' | 'consent' }
  /** Calls that were answered and are not over. */
  running_call: {
    call_id: string
    owner: string
    saved_at: number
    snapshot: Json
    epoch: Generated<number>
    started_at: Generated<number>
    version: Generated<number>
  }
  lease: { owner: string; until: number; doubt_ms: Generated<number> }
  outbox: {
    id: string
    account_id: string | null
    kind: string
    payload: Json
    state: 'PENDING' | 'SENT' | 'DEAD'
    attempts: number
    due_at: number
    leased_until: number
    last_error: string
    created_at: number
    lost: Generated<number>
  }
  job: {
    id: string
    kind: string
    payload: Json
    due_at: number
    leased_until: number
    attempts: number
    lost: Generated<number>
    parked_at: Generated<number>
  }
  audit_head: { chain: string; seq: number; hash: string }
  audit: {
    chain: string
    seq: number
    at: number
    actor: string
    action: string
    target: string
    detail: Json
    previous_hash: string
    hash: string
  }
  audit_stream: {
    account_id: string
    id: string
    kind: 'WEBHOOK' | 'SYSLOG' | 'OTLP'
    url: string
    secret_sealed: string | null
    position: number
    failures: Generated<number>
    failing_since: number | null
    failure: string | null
    created_at: number
  }
  trunk: { id: string; name: string; settings: Json; password_sealed: string; active: Flag; created_at: number; updated_at: number }
  trunk_holder: { trunk_id: string; owner: string; until: number; state: Json }
  file_upload: { file_key: string; place: string; created_at: number; erased: Generated<Flag> }
  schema_release: { id: number; newest: number; min_reader: number }
  erasure: { id: string; at: number; subject_sealed: string; done_at: number | null }
}
