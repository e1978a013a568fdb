import { relative } from 'node:path'
import type { FirstStart, FirstRunNotes } from '#first-start/first-start.ts'
import { overBar, paint } from '../terminal/paint.ts'

/** First information for a new operator, on standard error. With addresses of usual length it fits 80 columns. */
export const welcome = ({ file, notes }: FirstStart, http: string): string => {
  const logins = file === undefined ? '' : ` Logins: ${shown(file)}.`
  const text = notes ? firstWelcome(file, notes) : `Offhook is ready: ${http}/console/${logins} Ctrl-C ends it.`
  return overBar(text, process.stderr)
}

const firstWelcome = (file: string | undefined, notes: FirstRunNotes): string => {
  const { baseUrl, token, operator } = notes
  const [path, bearer] = token === undefined ? ['/operator/v1/accounts', operator.token] : ['/v1/account', token]
  return [
    '',
    bold('Welcome to Offhook. This was the first start: everything below is new.'),
    '',
    ...aligned(accesses(notes)),
    '',
    ...aligned(suggestions(notes)),
    '',
    bold('The API'),
    '',
    `  curl -H 'Authorization: Bearer ${bearer}' ${baseUrl}${path}`,
    '',
    `All of this is in ${file === undefined ? 'first-run.json' : shown(file)}, for your eyes only. Ctrl-C ends Offhook.`,
    '',
  ].join('\n')
}

type Lines = [string, string | undefined][]

const accesses = ({ console, email, password, number, sip, operator }: FirstRunNotes): Lines => [
  ['console', console],
  ['log in', email && `${email}   password ${password}`],
  ['number', number && `${number}   the demo assistant: it repeats what you say`],
  ['SIP phone', sip && `server ${sip.server}   user ${sip.user}`],
  ['', sip && `password ${sip.password}`],
  ['operator', `${operator.email}   password ${operator.password}`],
]

const suggestions = ({ console, flowId }: FirstRunNotes): Lines => [
  ['talk', flowId && `${console}talk   speak or type`],
  ['phone', flowId && `${console}phone   calls in your browser`],
  ['type', flowId && 'npx offhook say   in another terminal, in this folder'],
  ['build', flowId && 'npx offhook init my-assistant   your own, and how to run it'],
  ['read', `${console.replace('/console/', '/docs/')}   guides and API reference`],
]

const aligned = (lines: Lines): string[] =>
  lines.flatMap(([name, value]) => (value === undefined ? [] : [`  ${bold(name.padEnd(12))}${value}`]))

const bold = (text: string): string => paint('bold', text, process.stderr)

const shown = (file: string): string => {
  const near = relative('.', file)
  return near.startsWith('..') ? file : near
}
