import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { finishedTalk } from './examples.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor, settled, type Visitor } from './visitor.ts'

const entries = 10_000

/** As many calls as an office has in a year: copies of one, each a minute older and with another number. */
const writeHistory = async (service: Service): Promise<void> => {
  await finishedTalk(service)
  const database = new DatabaseSync(join(service.data, 'offhook.db'), { timeout: 5_000 })
  const columns = `account_id, user_ext, type, direction, target, source_alias, target_alias, status, connection_ids, endpoints, detail,
    modified_at, read, archived, starred, note, labels`
  database.exec(`begin;
    create temp table one as select * from history_entry limit 1;
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${entries - 1})
      insert into history_entry (id, session_id, source, created_at, ${columns})
      select 'copy-' || i, 'copy-' || i, '+4930' || (5000000 + i), created_at - i * 60000, ${columns} from one, n;
    insert into history_party (account_id, ext, entry_id)
      select copy.account_id, party.ext, copy.id from history_party party, one, history_entry copy where party.entry_id = one.id and copy.id like 'copy-%';
    commit`)
  database.close()
}

const rows = (page: Page) => page.locator('tbody tr')
const firstCell = (page: Page) => rows(page).first().locator('[data-first=true]').innerText()

test('works with long lists', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const names = Array.from({ length: 99 }, (_, index) => `Desk ${index + 1}`)
  const devices = Promise.all(names.map((alias) => service.api.createUserDevice({ userId: 'w0' }, { alias, type: 'REGISTER' })))
  const anna = service.api.createContact({}, { name: 'Anna Schmidt', numbers: ['+49301379911'] })
  await Promise.all([devices, anna, writeHistory(service)])
  const visitor = await openVisitor(browser, service)
  await visitor.logIn()
  await t.test('searches, sorts, pages and bulk-edits a hundred devices, and keeps that state in the URL', () =>
    ofDevices(visitor, service),
  )
  await t.test('finds ten thousand calls by part of a number and bulk-edits them', () => ofHistory(visitor))
  await t.test('opens pages with Ctrl-K, finds a contact by three digits and offers to call it', () => ofPalette(visitor))
  await t.test('gives a line a search instead of a hundred check boxes', () => ofLine(visitor))
})

const ofDevices = async ({ page, go, troubles }: Visitor, { api }: Service): Promise<void> => {
  await go('/devices')
  assert.equal(await rows(page).count(), 50)
  await page.getByRole('button', { name: 'Device', exact: true }).click()
  await page.getByRole('button', { name: 'Device', exact: true }).click()
  await page.getByRole('columnheader', { name: 'Device' }).and(page.locator('[aria-sort=descending]')).waitFor()
  assert.match(await firstCell(page), /^Desk 99/, 'numbers in names are sorted as numbers')
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('51–100 of 100').waitFor()
  await page.reload()
  await page.getByText('51–100 of 100').waitFor()
  await page.getByRole('link', { name: 'Desk 1', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Desk 1' }).waitFor()
  await page.goBack()
  await page.getByText('51–100 of 100').waitFor()

  await page.getByRole('searchbox', { name: 'Search' }).fill('desk 4')
  await page.getByText('19 of 100 entries').waitFor()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
  assert.equal(file.suggestedFilename(), 'Devices.csv')
  assert.equal(lines.length, 20)
  assert.equal(lines[1], 'Desk 94,SIP phone,Offline,Demo Admin')

  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  assert.deepEqual(await seriousViolations(page), [])
  await page.getByRole('group', { name: 'Actions for the selected entries' }).getByRole('button', { name: 'Do not disturb' }).click()
  await page.getByText('Done for 19.').waitFor()
  assert.equal((await api.listUserDevices({ userId: 'w0' })).items.filter(({ dnd }) => dnd).length, 19)
  assert.deepEqual(troubles(), [])
}

const ofHistory = async ({ page, go, troubles }: Visitor): Promise<void> => {
  await go('/calls')
  const history = page.getByRole('region', { name: 'History' })
  await history.getByText(/^1–50 of 10,000$/).waitFor()
  await history.getByRole('searchbox').fill('030 50012')
  await history.getByText('100 entries').waitFor()
  assert.equal(await rows(page).count(), 50, 'no more are drawn')
  await page.reload()
  await settled(page)
  await history.getByText('100 entries').waitFor()
  await history.getByRole('checkbox', { name: 'Select all on this page' }).check()
  const bulk = page.getByRole('group', { name: 'Actions for the selected entries' })
  await leavesRoom(page, bulk)
  await bulk.getByRole('button', { name: 'Select all 100' }).click()
  await bulk.getByRole('button', { name: 'Archive' }).click()
  await page.getByText('100 entries changed.').waitFor()
  await history.getByRole('combobox', { name: 'Marked' }).selectOption('Archived')
  await history.getByText('100 entries').waitFor()
  const [file] = await Promise.all([page.waitForEvent('download'), history.getByRole('button', { name: 'CSV' }).click()])
  assert.equal((await readFile(await file.path(), 'utf8')).trim().split('\r\n').length, 101)
  await deletesFound(page)
  await history.getByRole('combobox', { name: 'Period' }).selectOption('Yesterday')
  await history.getByLabel('From', { exact: true }).fill('1/12/2020')
  await page.keyboard.press('Enter')
  assert.match(page.url(), /from=2020-12-01/)
  assert.deepEqual(troubles(), [])
}

/** A focused row is scrolled above the bar, not behind it. */
const leavesRoom = async (page: Page, bulk: Locator): Promise<void> => {
  for (let row = 5; row < 25; row++) {
    const tick = rows(page).nth(row).getByRole('checkbox')
    await tick.focus()
    const [ticked, bar] = [await tick.boundingBox(), await bulk.boundingBox()]
    assert.ok(ticked && bar && ticked.y + ticked.height <= bar.y, `row ${row}`)
  }
}

/** Deletes all hits of the search, more than were loaded. */
const deletesFound = async (page: Page): Promise<void> => {
  const history = page.getByRole('region', { name: 'History' })
  const tickAll = () => history.getByRole('checkbox', { name: 'Select all on this page' }).check()
  const bulk = page.getByRole('group', { name: 'Actions for the selected entries' })
  await history.getByRole('searchbox').fill('030 5003')
  await history.getByRole('combobox', { name: 'Marked' }).selectOption('All')
  await history.getByText(/^1–50 of 1,000$/).waitFor()
  await tickAll()
  await bulk.getByRole('button', { name: 'Select all 1,000 that match' }).click()
  await bulk.getByText('1,000 selected').waitFor()
  await bulk.getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('dialog')
  await question
    .getByText(/1,?000/)
    .first()
    .waitFor()
  await question.getByRole('button', { name: 'Delete' }).click()
  await page.getByText(/^1,?000 entries changed\.$/).waitFor()
  await history.getByText('Nothing found').waitFor()
  await history.getByRole('searchbox').fill('')
  await history.getByText(/^1–50 of 9,000$/).waitFor()
  await history.getByRole('combobox', { name: 'Marked' }).selectOption('Archived')
  await history.getByText('100 entries').waitFor()
}

const ofPalette = async ({ page, go, troubles }: Visitor): Promise<void> => {
  await go('/')
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Search and open' })
  await field.fill('quick')
  await page.getByRole('option', { name: 'Quick dial' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Quick dial' }).waitFor()
  await page.keyboard.press('Control+k')
  await field.fill('137')
  await page.getByRole('option', { name: 'Call 137' }).waitFor()
  await page.getByRole('option', { name: /^Call Anna Schmidt/ }).waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  await page.getByRole('option', { name: /^Anna Schmidt/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
  assert.deepEqual(troubles(), [])
}

const ofLine = async ({ page, go, troubles }: Visitor): Promise<void> => {
  await go('/lines/w0/p0')
  const devices = page.getByRole('region', { name: 'Devices' })
  await devices.getByText('100 of 100 devices ring').waitFor()
  assert.equal(await devices.getByRole('checkbox').count(), 10)
  await devices.getByLabel('Find a device').fill('77')
  await devices.getByRole('checkbox', { name: 'Desk 77' }).click()
  await devices.getByText('99 of 100 devices ring').waitFor()
  assert.deepEqual(troubles(), [])
}
