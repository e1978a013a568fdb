// Generated from the migrations: npm run generate.
import type { Flag, Json } from './columns.ts'

export interface ScenariosSchema {
  scenario: { flow_id: string; name: string; account_id: string; content: Json; required: Flag; updated_at: number }
  test_run: {
    id: string
    flow_id: string
    account_id: string
    state: 'running' | 'passed' | 'failed'
    choice: string | null
    total: number
    started_at: number
  }
  test_report: { run_id: string; nth: number; report: Json }
}
