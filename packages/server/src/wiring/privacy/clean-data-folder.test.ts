// test: own process
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Erasure } from '#adapters/store/personal-data/journal.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { cleanDataFolder } from './open-personal-data.ts'

const at = Date.UTC(2026, 0, 2)
const person = { numbers: ['+4915112345678'], names: ['Grace Hopper'], emails: ['grace@example.com'] }
const erasure: Erasure = { id: 'e', at, subject: { type: 'account', accountId: '1234567' }, person, again: false }

test('removes mails to and about an erased person, but not those after the erasure', async (t) => {
  const data = await temporaryFolder(t)
  await cleanDataFolder(data, [erasure])
  await mkdir(join(data, 'mail'))
  const mails: Record<string, string> = {
    '20260101T000000000Z-000000-00000001.eml': 'To: grace@example.com\n\nHello',
    '20260101T000000000Z-000000-00000002.eml': 'To: ada@example.com\n\nA call from 0151 12345678',
    '20260101T000000000Z-000000-00000003.eml': 'To: ada@example.com\n\nA call from 0151 99999999',
    '20260103T000000000Z-000000-00000004.eml': 'To: ada@example.com\n\nA call from 0151 12345678',
    'notes.txt': 'grace@example.com',
  }
  for (const [name, text] of Object.entries(mails)) await writeFile(join(data, 'mail', name), text)
  await cleanDataFolder(data, [erasure])
  const left = await readdir(join(data, 'mail'))
  assert.deepEqual(left.toSorted(), Object.keys(mails).slice(2))
})

test("removes the demo account's logins from the first-start notes and keeps the operator's", async (t) => {
  const data = await temporaryFolder(t)
  const file = join(data, 'first-run.json')
  const installation = { console: 'c', baseUrl: 'b', authUrl: 'a', operator: { email: 'o', password: 'p', token: 't' } }
  const demo = { email: 'demo@offhook.local', password: 'secret', accountId: '1234567', token: 'token', number: '+4930' }
  await writeFile(file, JSON.stringify({ ...installation, ...demo }))
  await cleanDataFolder(data, [{ ...erasure, subject: { type: 'account', accountId: '7654321' } }])
  assert.match(await readFile(file, 'utf8'), /secret/)
  await cleanDataFolder(data, [erasure])
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), installation)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
})
