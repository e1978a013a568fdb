import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { welcome } from './welcome.ts'

const url = 'http://127.0.0.1:8080'
const notes: FirstRunNotes = {
  console: `${url}/console/`,
  baseUrl: url,
  authUrl: `${url}/login`,
  email: 'demo@offhook.local',
  password: 'p'.repeat(20),
  sip: { user: '1234567e0', password: 's'.repeat(24), server: '127.0.0.1:5060' },
  number: '+493023125000',
  flowId: 'f'.repeat(36),
  accountId: '1234567',
  token: 't'.repeat(270),
  operator: { email: 'operator@offhook.local', password: 'o'.repeat(20), token: 'u'.repeat(270) },
}

const plain = (text: string): string => stripVTControlCharacters(text).replace(/^\r/, '')

test('prints everything that a first start needs in 80 columns, except the curl line', () => {
  const lines = plain(welcome({ file: 'data/first-run.json', notes }, url)).split('\n')
  const curl = `  curl -H 'Authorization: Bearer ${notes.token}' ${url}/v1/account`
  assert.deepEqual(
    lines.filter((line) => line.length > 80),
    [curl],
  )
  const text = lines.join('\n')
  const { email, password, number, sip, operator } = notes
  for (const needed of [
    `${url}/console/`,
    email,
    password,
    number,
    sip?.server,
    sip?.user,
    sip?.password,
    operator.email,
    operator.password,
  ])
    assert.ok(needed !== undefined && text.includes(needed), needed)
  assert.match(text, /data\/first-run\.json.* Ctrl-C ends Offhook\.\n$/)
})

test('prints only existing logins without a demo account, and one line at later starts', () => {
  const { console, baseUrl, authUrl, operator } = notes
  const text = plain(welcome({ file: undefined, notes: { console, baseUrl, authUrl, operator } }, url))
  assert.doesNotMatch(text, /undefined|SIP|npx/)
  assert.ok(text.includes(`curl -H 'Authorization: Bearer ${operator.token}' ${url}/operator/v1/accounts\n`))
  const later = plain(welcome({ file: 'data/first-run.json', notes: undefined }, url))
  assert.equal(later, `Offhook is ready: ${url}/console/ Logins: data/first-run.json. Ctrl-C ends it.`)
})
