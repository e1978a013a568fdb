import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { finishedTalk } from './examples.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor, type Visitor } from './visitor.ts'

/** Call, voicemail and message from an unknown number: copies of another call. */
const strangerCalls = async (service: Service): Promise<void> => {
  await finishedTalk(service)
  const database = new DatabaseSync(join(service.data, 'offhook.db'), { timeout: 5_000 })
  const columns = `account_id, user_ext, target, target_alias, status, connection_ids, endpoints, modified_at, read, archived, starred, note, labels`
  database.exec(`begin;
    create temp table one as select * from history_entry limit 1;
    create temp table came as select 'CALL' as type, '{}' as detail union all
      select 'VOICEMAIL', '{"transcription":"Call me back"}' union all select 'SMS', '{"smsContent":"Are you there?"}';
    insert into history_entry (id, session_id, type, source, source_alias, direction, detail, created_at, ${columns})
      select 'stranger-' || came.type, 'stranger', came.type, '+493050012345', '', 'INCOMING', came.detail, created_at + 1, ${columns} from one, came;
    insert into history_party (account_id, ext, entry_id)
      select party.account_id, party.ext, entry.id from history_party party, one, history_entry entry where party.entry_id = one.id and entry.id like 'stranger-%';
    commit`)
  database.close()
}

test('manages contacts', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  await strangerCalls(service)
  const visitor = await openVisitor(browser, service)
  await visitor.logIn()
  await t.test('saves a caller as a contact, and shows that name from then on', () => keepsCaller(visitor))
  await t.test('previews five thousand contacts before the import, finds them, and exports them', () => importsMany(visitor))
  await t.test('merges duplicates', () => mergesTwo(visitor, service))
})

const keepsCaller = async ({ page, go, troubles }: Visitor): Promise<void> => {
  await go('/calls')
  const history = page.getByRole('region', { name: 'History' })
  await history
    .getByRole('button', { name: /^Actions for .*345$/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Add to contacts' }).click()
  const form = page.getByRole('dialog', { name: 'New contact' })
  await form.getByText('+493050012345').waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  await form.getByLabel('Name').fill('Grace Hopper')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' })
  assert.doesNotMatch(page.url(), /number=/)
  await go('/calls')
  await history
    .getByRole('link', { name: /Grace Hopper/ })
    .first()
    .waitFor()
  await history.getByRole('searchbox').fill('hopper')
  await history.getByText('3 entries').waitFor()
  await go('/calls/voicemail')
  await page.getByRole('link', { name: /Grace Hopper/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Voicemail: Grace Hopper' }).waitFor()
  await page.getByRole('button', { name: /^Grace Hopper/ }).waitFor()
  await go('/sms')
  await page.getByRole('button', { name: /^Grace Hopper.*Are you there\?/ }).click()
  await page.getByRole('list', { name: 'Messages with Grace Hopper' }).waitFor()
  await page.getByRole('heading', { level: 2, name: /^Grace Hopper/ }).waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  await go('/')
  await page.getByRole('region', { name: 'Recent' }).getByText('Grace Hopper').first().waitFor()
  assert.deepEqual(troubles(), [])
}

const importsMany = async ({ page, go, troubles }: Visitor): Promise<void> => {
  await go('/contacts')
  await page.getByRole('button', { name: 'Import and export' }).click()
  await page.getByRole('menuitem', { name: 'Import contacts' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import contacts' })
  const rows = Array.from({ length: 5_000 }, (_, n) => `Person ${n};030 5${String(n).padStart(6, '0')}`)
  const buffer = Buffer.from(['Name;Telefon', ...rows, '=1+1;'].join('\r\n'))
  await dialog.locator('input[type=file]').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer })
  await dialog.getByText('5001 new, 0 updated, 0 unchanged').waitFor()
  await dialog.getByRole('cell', { name: 'Person 0' }).waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText(/^1–50 of 5,002$/).waitFor()
  await page.getByRole('searchbox').fill('030/5004999')
  await page.getByText('1 entry').waitFor()
  await page.getByRole('button', { name: 'Person 4999', exact: true }).waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  await page.getByRole('button', { name: 'Import and export' }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Export as CSV' }).click()])
  const lines = (await readFile(await file.path(), 'utf8')).split('\r\n')
  assert.deepEqual([file.suggestedFilename(), lines.length, lines[1]], ['contacts.csv', 5_004, `'=1+1,,`])
  assert.deepEqual(troubles(), [])
}

const mergesTwo = async ({ page, go, troubles }: Visitor, { api }: Service): Promise<void> => {
  await api.createContact({}, { name: 'grace hopper', emails: ['grace@example.org'] })
  await go('/contacts')
  await page.getByRole('button', { name: 'Import and export' }).click()
  await page.getByRole('menuitem', { name: 'Duplicates' }).click()
  const dialog = page.getByRole('dialog', { name: 'Duplicates' })
  await dialog.getByRole('button', { name: /^Merge into grace hopper$/i }).click()
  await dialog.getByText('No duplicates').waitFor()
  const [merged, ...others] = (await api.listContacts({ search: 'hopper' })).items
  assert.deepEqual([merged?.numbers, merged?.emails, others], [['+493050012345'], ['grace@example.org'], []])
  assert.deepEqual(troubles(), [])
}
