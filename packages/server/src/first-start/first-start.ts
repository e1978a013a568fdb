import { firstRun, firstRunSetting, type FirstRunFacts, type FirstRunDeps } from '#core/operate/first-run/first-run.ts'
import { FirstRunFile } from './first-run-file.ts'
import type { Installation } from '#http/handler/handler-parts.ts'

/** What `first-run.json` says. */
export interface FirstRunNotes {
  console: string
  baseUrl: string
  authUrl: string
  email?: string
  password?: string
  sip?: { user: string; password: string; server: string }
  number?: string
  flowId?: string
  accountId?: string
  token?: string
  operator: FirstRunFacts['operator']
}

export interface FirstStart {
  /** Where the file is; undefined when this machine has none. */
  file: string | undefined
  /** Only on the first start itself. */
  notes: FirstRunNotes | undefined
}

type FirstStartDeps = FirstRunDeps & { installation: Installation }

/** The first start leaves a file for people; a later one finishes that when the first was interrupted. */
export const firstStart = async (deps: FirstStartDeps, { data, demo }: { data: string; demo: boolean }): Promise<FirstStart> => {
  const file = new FirstRunFile(data)
  const keep = (id: string, facts: FirstRunFacts) => file.draft(id, toNotes(deps.installation, facts))
  const facts = await firstRun(deps, { demo, keep })
  const id = await deps.store.read.settings.get(firstRunSetting)
  if (id !== undefined) await file.publish(id)
  return { file: (await file.exists()) ? file.path : undefined, notes: facts && toNotes(deps.installation, facts) }
}

const toNotes = ({ publicUrl, sip }: Installation, { operator, demo }: FirstRunFacts): FirstRunNotes => {
  const url = publicUrl()
  return {
    console: `${url}/console/`,
    baseUrl: url,
    authUrl: `${url}/login`,
    ...(demo && {
      email: demo.email,
      password: demo.password,
      sip: { ...demo.sip, server: `${sip.host}:${sip.port}` },
      number: demo.number,
      flowId: demo.flowId,
      accountId: demo.accountId,
      token: demo.token,
    }),
    operator,
  }
}
