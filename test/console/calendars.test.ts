import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { startService } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

test('adds a calendar in the console, books, moves and cancels', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_SPEECH: 'off' }), openBrowser(t)])
  const { page, open, logIn, troubles } = await openVisitor(browser, service)
  const { api } = service
  await logIn()
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const dialog = page.getByRole('dialog')

  await open('/calendars')
  await press('Add calendar')
  await dialog.getByLabel(/^Name/).fill('Practice')
  await dialog.getByLabel('First service').fill('Check-up')
  await dialog.getByLabel('First person').fill('Dr. Lee')
  await dialog.getByRole('button', { name: 'Add calendar' }).click()
  await page.getByRole('heading', { name: 'Practice', level: 1 }).waitFor()
  await press('Add person')
  const added = page.getByRole('group', { name: 'Person', exact: true })
  await added.getByLabel(/^Name/).fill('Dr. Kim')
  await press('Save')
  await page.getByText('Saved.').waitFor()
  const calendar = (await api.listCalendars()).items[0]
  assert.deepEqual(
    calendar?.people.map(({ id, name }) => `${id} ${name}`),
    ['dr_lee Dr. Lee', 'person Dr. Kim'],
  )
  const calendarId = calendar?.id ?? ''
  const booked = async () => {
    const to = new Date(Date.now() + 20 * 86_400_000).toISOString()
    return (await api.listBookings({ calendarId, to })).items.map(({ person, name, start }) => ({ person, name, start }))
  }

  await open(`/calendars/${calendarId}`)
  await press('Book')
  await dialog.getByLabel('Time').selectOption({ index: 1 })
  await dialog.getByLabel('Name of the visitor').fill('Grace Hopper')
  await dialog.getByRole('button', { name: 'Book' }).click()
  await page.getByText('Booked.').waitFor()
  const [first] = await booked()
  assert.deepEqual([first?.person, first?.name], ['dr_lee', 'Grace Hopper'])

  const card = page.getByRole('button', { name: /Grace Hopper/ })
  if ((await card.count()) === 0) await press('Next week') // the first free time can be on Monday
  await card.click()
  await dialog.getByLabel('Time').selectOption({ index: 1 })
  await dialog.getByRole('button', { name: 'Move' }).click()
  await page.getByText('Moved.').waitFor()
  assert.notEqual((await booked())[0]?.start, first?.start)
  if ((await card.count()) === 0) await press('Next week')
  await card.click()
  await dialog.getByRole('button', { name: 'Cancel appointment' }).click()
  await page.getByRole('dialog', { name: 'Cancel this appointment?' }).getByRole('button', { name: 'Cancel appointment' }).click()
  await page.getByText('Cancelled.').waitFor()
  assert.deepEqual(await booked(), [])
  assert.deepEqual(troubles(), [])
})
