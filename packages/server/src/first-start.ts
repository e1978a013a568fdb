import { firstRun, firstRunSetting, type FirstRunFacts, type FirstRunParts } from './core/first-run/first-run.ts'
import { FirstRunFile } from './first-run-file.ts'
import type { Installation } from './http/parts.ts'

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
  /** Where the notes are; undefined when this machine has none. */
  file: string | undefined
  /** Only on the first start itself. */
  notes: FirstRunNotes | undefined
}

type FirstStartParts = FirstRunParts & { installation: Installation }

/** The first start leaves a file for people; a later one finishes that when the first was interrupted. */
export const firstStart = async (parts: FirstStartParts, { data, demo }: { data: string; demo: boolean }): Promise<FirstStart> => {
  const file = new FirstRunFile(data)
  const keep = (id: string, facts: FirstRunFacts) => file.draft(id, toNotes(parts.installation, facts))
  const facts = await firstRun(parts, { demo, keep })
  const id = await parts.store.read.settings.get(firstRunSetting)
  if (id !== undefined) await file.publish(id)
  return { file: (await file.exists()) ? file.path : undefined, notes: facts && toNotes(parts.installation, facts) }
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

/** For the terminal. */
export const firstStartSummary = (file: string | undefined, notes: FirstRunNotes): string => {
  const { console, baseUrl, email, password, number, sip, token, operator } = notes
  const [path, bearer] = token === undefined ? ['/operator/v1/accounts', operator.token] : ['/v1/account', token]
  const lines: [string, string | undefined][] = [
    ['start page', console],
    ['log in', email && `${email}   password ${password}`],
    ['phone', sip && `${sip.user} at ${sip.server}   password ${sip.password}`],
    ['number', number && `${number}, call it from that phone: it greets you and repeats what you say`],
    ['operator', `${operator.email}   password ${operator.password}`],
  ]
  return [
    'Welcome to Offhook. This was the first start; everything below was just created.',
    '',
    ...lines.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name.padEnd(12)}${value}`])),
    '',
    'Try it:',
    '',
    `  curl -H 'Authorization: Bearer ${bearer}' ${baseUrl}${path}`,
    '',
    `The same, and more, stands in ${file ?? 'first-run.json'}; only you can read it.`,
    '',
  ].join('\n')
}
