// Generated from the migrations: npm run generate.
import type { Generated } from 'kysely'
import type { Fixed, Flag, Json, Serial, SoundTrouble } from './columns.ts'

export interface ExtensionsSchema {
  extension_seq: { account_id: string; kind: string; next_n: number }
  extension: {
    account_id: Fixed<string>
    ext: Fixed<string>
    kind: Fixed<string>
    n: Fixed<number>
    alias: string
    owner: string | null
    created_at: number
    deleted_at: number | null
  }
  device: {
    account_id: Fixed<string>
    ext: Fixed<string>
    owner: string
    type: 'REGISTER' | 'MOBILE' | 'EXTERNAL'
    dnd: Flag
    caller_id: string | null
    emergency_address_id: number | null
    local_prefix: string
    local_prefix_active: Flag
    single_row_display: Flag
    tariff_announcement: Flag
    sip_username: string | null
    sip_password_sealed: string | null
    external_number: string | null
    incoming_call_display: 'CALLED_NUMBER' | 'CALLER_NUMBER' | null
    esim: Flag
    sound_state: SoundTrouble | null
    sound_call_id: string | null
    sound_at: number | null
    browser: Generated<Flag>
  }
  push_subscription: {
    id: string
    account_id: string
    user_ext: string
    endpoint_sealed: string
    keys_sealed: string
    language: string
    created_at: number
  }
  registration: {
    account_id: string
    device: string
    contact: string
    path: string
    q: string
    received_ip: string
    received_port: number
    transport: string
    user_agent: string
    call_id: string
    cseq: number
    expires_at: number
    origin: Generated<string>
    via: Generated<string>
  }
  sim: {
    iccid: string
    imsi: string | null
    puk1_sealed: string
    puk2_sealed: string
    account_id: string | null
    device: string | null
    state: 'STOCK' | 'SHIPPED' | 'ACTIVE' | 'DEACTIVATED'
  }
  sim_order: {
    id: string
    account_id: string
    device: string
    address_snapshot: Json
    state: 'ORDERED' | 'PICKED' | 'SHIPPED' | 'DELIVERED' | 'ACTIVATED' | 'CANCELLED'
    iccid: string | null
    ordered_by: string
    created_at: number
    updated_at: number
  }
  phoneline: {
    account_id: Fixed<string>
    ext: Fixed<string>
    owner: string
    block_anonymous: Flag
    block_anonymous_target: 'REJECT' | 'VOICEMAIL'
    busy_on_busy: Flag
    incoming_url: string
    outgoing_url: string
  }
  phoneline_device: { account_id: string; phoneline: string; device: string }
  parallel_forwarding: { id: Serial; account_id: string; phoneline: string; alias: string; destination: string; active: Flag }
  forwarding: { account_id: string; endpoint: string; position: number; destination: string; timeout_s: number; active: Flag }
  hunt_group: {
    account_id: Fixed<string>
    ext: Fixed<string>
    department_id: number | null
    strategy: 'PARALLEL' | 'LINEAR' | 'ROUND_ROBIN' | 'LONGEST_IDLE'
    ring_seconds: number
  }
  group_user: { account_id: string; hunt_group: string; user_ext: string; position: number }
  group_device: { account_id: string; hunt_group: string; device: string }
  faxline: {
    account_id: Fixed<string>
    ext: Fixed<string>
    owner: string
    tagline: string
    caller_id: string | null
    can_send: Flag
    can_receive: Flag
  }
  sms_line: { account_id: Fixed<string>; ext: Fixed<string>; owner: string }
  sms_caller_id: {
    id: Serial
    account_id: string
    sms: string
    phone_number: string
    verified_at: number | null
    code_hash: string | null
    code_expires: number | null
    tries: number
    is_default: Flag
  }
  voicemail: { account_id: Fixed<string>; ext: Fixed<string>; owner: string; timeout_s: number; active: Flag; transcription: Flag }
  greeting: {
    id: Serial
    account_id: string
    voicemail: string
    alias: string
    audio: string
    duration_ms: number
    active: Flag
    created_at: number
  }
  notification: {
    id: Serial
    account_id: string
    user_ext: string
    type: string
    endpoint: string
    via: string
    recipient: string
    direction: string
  }
  schedule: {
    id: string
    account_id: string
    name: string
    time_zone: string
    week: Json
    days: Json
    override: Json | null
    updated_at: number
  }
  routing: { account_id: string; target: string; rules: Json; overflow: Json }
}
