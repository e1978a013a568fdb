import { relative } from 'node:path'
import type { FirstStart, FirstRunNotes } from '../first-start.ts'
import { paint } from './paint.ts'

/** What somebody needs who has just started Offhook, on standard error. */
export const welcome = ({ file, notes }: FirstStart, http: string): string => {
  if (notes) return firstWelcome(file, notes)
  const logins = file === undefined ? '' : ` Logins: ${shown(file)}.`
  return `Offhook is ready: ${http}/console/${logins} Ctrl-C ends it.`
}

const firstWelcome = (file: string | undefined, notes: FirstRunNotes): string => {
  const { baseUrl, token, operator } = notes
  const [path, bearer] = token === undefined ? ['/operator/v1/accounts', operator.token] : ['/v1/account', token]
  return [
    bold('Welcome to Offhook. This was the first start; everything below was just created.'),
    '',
    ...aligned(accesses(notes)),
    '',
    ...aligned(suggestions(notes)),
    '',
    bold('The interface'),
    '',
    `  curl -H 'Authorization: Bearer ${bearer}' ${baseUrl}${path}`,
    '',
    `All of this is in ${file === undefined ? 'first-run.json' : shown(file)}, which only you can read. Ctrl-C ends Offhook.`,
    '',
  ].join('\n')
}

type Lines = [string, string | undefined][]

const accesses = ({ console, email, password, number, sip, operator }: FirstRunNotes): Lines => [
  ['console', console],
  ['log in', email && `${email}   password ${password}`],
  ['number', number && `${number}   the demo assistant: it greets you and repeats what you say`],
  ['phone', sip && `server ${sip.server}   user ${sip.user}   password ${sip.password}   (any SIP phone)`],
  ['operator', `${operator.email}   password ${operator.password}`],
]

const suggestions = ({ console, flowId }: FirstRunNotes): Lines => [
  ['talk', flowId && `${console}talk/${flowId}   with the microphone, or typing`],
  ['type', flowId && 'npx offhook say'],
  ['build', flowId && 'npx offhook init my-assistant   writes an assistant of your own, and says how to run it'],
]

const aligned = (lines: Lines): string[] =>
  lines.flatMap(([name, value]) => (value === undefined ? [] : [`  ${bold(name.padEnd(12))}${value}`]))

const bold = (text: string): string => paint('bold', text, process.stderr)

const shown = (file: string): string => {
  const near = relative('.', file)
  return near.startsWith('..') ? file : near
}
