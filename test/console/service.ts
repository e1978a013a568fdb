import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient, type Client } from '@offhook/sdk'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { offhook, ready } from '#test/machine/program.ts'
import { temporaryFolder, type Scope } from '#test/machine/temporary-folder.ts'

/** Service after its first start, as a new user has it. */
export interface Service {
  /** Base URL without a trailing slash. */
  http: string
  sip: string
  pid: number
  /** Data folder with the database. */
  data: string
  notes: Required<FirstRunNotes>
  /** Client of the demo user. */
  api: Client
  /** Client of the operator. */
  operator: Client
}

/** The real program in a separate process with an empty data folder; removed after the test. */
export const startService = async (t: Scope, settings: Record<string, string> = {}): Promise<Service> => {
  const data = await temporaryFolder(t)
  const program = offhook(t, ['serve'], { OFFHOOK_DATA: data, OFFHOOK_LOG: 'warn', OFFHOOK_SPEECH: 'tones', ...settings })
  const { http, sip } = await ready(program)
  const notes = JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8')) as Required<FirstRunNotes>
  return {
    http,
    sip,
    pid: program.child.pid ?? 0,
    data,
    notes,
    api: createClient({ baseUrl: http, token: notes.token }),
    operator: createClient({ baseUrl: http, token: notes.operator.token }),
  }
}
