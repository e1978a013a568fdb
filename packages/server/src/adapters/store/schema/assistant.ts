// Generated from the migrations: npm run generate.
import type { Generated } from 'kysely'
import type { Json } from './columns.ts'

export interface AssistantSchema {
  session: {
    id: string
    account_id: string
    flow_id: string
    session: Json
    started_at: number
    owner: string
    /** The rest is null while the session is open. */
    ended_at: number | null
    reason: string | null
    sequence: number | null
    turn: number | null
    state: Json | null
    assistant_version: string | null
    assistant_sms: Generated<number>
  }
  delivery: {
    id: string
    account_id: string
    flow_id: string
    session_id: string
    event_id: string
    event_type: string
    sequence: number
    turn: number
    attempt: number
    channel: 'webhook' | 'websocket' | 'fallback' | 'listener'
    at: number
    duration_ms: number
    state: 'delivered' | 'failed' | 'superseded' | 'dead'
    status: number | null
    request_bytes: number
    reply_bytes: number
    actions: Json
    problems: Json
    error: string | null
  }
  call_result: {
    call_id: string
    account_id: string
    flow_id: string
    version: number | null
    started_at: number
    duration_ms: number | null
    end_reason: string | null
    turns: Generated<number>
    interruptions: Generated<number>
    transferred_to: string | null
    first_sound_ms: number | null
    messages: Generated<Json>
    prompt_tokens: Generated<number>
    completion_tokens: Generated<number>
    cost_micros: Generated<number>
    currency: string | null
    outcome: string | null
    told: Json | null
    search: Generated<string>
    webhook_url: string | null
    event_id: string | null
    delivery: Generated<'none' | 'pending' | 'delivered' | 'failed'>
    variables: Json | null
    correlation_id: string | null
  }
  flow_version: { flow_id: string; version: number; account_id: string; name: string; settings: Json; author: string | null; at: number }
  assistant_draft: { flow_id: string; account_id: string; settings: Json; revision: number; changed_at: number }
  assistant_version: {
    flow_id: string
    version: number
    account_id: string
    settings: Json
    created_at: number
    created_by: string
    note: string | null
    calls: Generated<number>
  }
  assistant_rollout: {
    flow_id: string
    account_id: string
    stable: number
    candidate: number | null
    percent: number
    chosen_by: 'caller' | 'call'
    previous: number | null
  }
  assistant_day: { flow_id: string; day: number; account_id: string; tokens: number }
}
