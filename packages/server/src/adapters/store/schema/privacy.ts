// Generated from the migrations: npm run generate.

export interface PrivacySchema {
  data_export: {
    id: string
    account_id: string
    subject_type: 'ACCOUNT' | 'USER' | 'CONTACT' | 'NUMBER'
    reference: string
    subject_sealed: string
    requested_by: string
    requested_at: number
    state: 'PENDING' | 'BUILDING' | 'READY' | 'FAILED'
    ready_at: number | null
    expires_at: number
    bytes: number | null
    row_count: number | null
    file_count: number | null
  }
  erasure_request: {
    id: string
    account_id: string
    subject_type: 'ACCOUNT' | 'USER' | 'CONTACT' | 'NUMBER'
    reference: string
    subject_sealed: string
    requested_by: string
    requested_at: number
    state: 'SCHEDULED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED'
    due_at: number
    ended_at: number | null
    failure: string | null
    deleted_rows: number | null
    pseudonymized_rows: number | null
    deleted_files: number | null
  }
}
