import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor, settled, type Visitor } from './visitor.ts'

test('edits office hours in the console', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_SPEECH: 'off' }), openBrowser(t)])
  const visitor = await openVisitor(browser, service)
  await visitor.logIn()
  await t.test('creates hours, changes them by keyboard, with holidays, and overrides them for the day', () => makeHours(visitor, service))
  await t.test('lets the assistant answer unanswered calls with one switch', () => letAssistantAnswer(visitor, service))
  await t.test('offers the same rules for groups, assistants and numbers', () => ruleOthers(visitor, service))
})

const makeHours = async ({ page, open, troubles }: Visitor, { api }: Service): Promise<void> => {
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  await open('/hours')
  await press('Add office hours')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Office')
  await dialog.getByRole('button', { name: 'Add office hours' }).click()
  await page.getByRole('heading', { name: 'Office', level: 1 }).waitFor()

  // Keyboard only: to the hours of Monday, then a lunch break.
  await page.getByLabel('Monday: opens').focus()
  await page.keyboard.type('0830')
  await page.getByRole('button', { name: 'Monday: add hours' }).focus()
  await page.keyboard.press('Enter')
  assert.equal(await page.getByLabel('Monday: closes').count(), 2)
  await press('Copy Monday to Tuesday–Friday')
  await press('Add public holidays')
  await dialog.getByLabel('Year').fill('2027')
  await dialog.getByRole('checkbox', { name: /Neujahr/ }).waitFor()
  await press('Add')
  await press('Save')
  await page.getByText('Saved.').waitFor()
  const [schedule] = (await api.listSchedules()).items
  assert.deepEqual(schedule?.week.FR?.[0], { from: '08:30', to: '17:00' })
  assert.equal(schedule?.week.FR?.length, 2)
  assert.equal(schedule?.days.length, 9)
  assert.deepEqual(await seriousViolations(page), [])

  const wanted = schedule?.state.open ? 'Close for today' : 'Open for today'
  await press(wanted)
  await page.getByText('Switched by hand').waitFor()
  assert.equal((await api.listSchedules()).items[0]?.state.because, 'OVERRIDE')
  await press('Back to the schedule')
  await page.getByText('Switched by hand').waitFor({ state: 'hidden' })
  assert.deepEqual(troubles(), [])
}

const letAssistantAnswer = async ({ page, open, troubles }: Visitor, { api, notes }: Service): Promise<void> => {
  await open('/lines/w0/p0')
  const section = page.getByRole('region', { name: 'When closed or nobody answers' })
  await section.getByRole('switch', { name: 'The assistant answers when nobody does' }).check()
  await section.getByRole('combobox', { name: 'Office hours' }).click()
  await page.getByRole('option', { name: 'Office' }).click()
  await section.getByRole('combobox', { name: 'While closed' }).click()
  await page.getByRole('option', { name: 'Announcement, then hang up' }).click()
  await section.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  const [schedule] = (await api.listSchedules()).items
  assert.deepEqual(await api.getRouting({ target: 'p0' }), {
    rules: [{ scheduleId: schedule?.id, when: 'CLOSED', action: 'ANNOUNCE' }],
    overflow: [{ after: 20, action: 'FLOW', to: notes.flowId }],
  })
  assert.deepEqual(await seriousViolations(page), [])
  assert.deepEqual(troubles(), [])

  // Rejected, because the line uses the schedule.
  await open(`/hours/${schedule?.id}`)
  await page.getByRole('button', { name: 'Delete office hours' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete office hours' }).click()
  await page
    .getByText(/still in use/)
    .first()
    .waitFor()
  await settled(page)
}

const ruleOthers = async ({ page, open, troubles }: Visitor, { api, notes }: Service): Promise<void> => {
  troubles() // discards the errors of the rejection above
  const { id: groupId } = await api.createGroup({}, { alias: 'Sales', members: ['w0'] })
  await open(`/groups/${groupId}`)
  const section = page.getByRole('region', { name: 'When closed or nobody answers' })
  await section.getByRole('switch', { name: 'The assistant answers when nobody does' }).check()
  await section.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  const answered = [{ after: 20, action: 'FLOW', to: notes.flowId }]
  assert.deepEqual((await api.getRouting({ target: groupId })).overflow, answered)

  await open(`/flows/${notes.flowId}`)
  await page.getByRole('navigation', { name: 'Settings sections' }).getByRole('button', { name: 'When closed' }).click()
  await page.getByRole('combobox', { name: 'When the assistant cannot take the call' }).click()
  await page.getByRole('option', { name: 'Reject the call' }).click()
  await page.getByRole('group').filter({ hasText: 'When closed' }).getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  assert.deepEqual((await api.getRouting({ target: notes.flowId })).overflow, [{ after: 'UNREACHABLE', action: 'REFUSE' }])

  const number = (await api.listNumbers()).items.find(({ type }) => type !== 'QUICKDIAL')
  await open('/numbers')
  await page
    .getByRole('button', { name: /Actions for/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'When closed …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('switch', { name: 'The assistant answers when nobody does' }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  assert.deepEqual((await api.getRouting({ target: number?.id ?? '' })).overflow, answered)
  assert.deepEqual(await seriousViolations(page), [])
  assert.deepEqual(troubles(), [])
}
