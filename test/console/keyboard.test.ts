import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { until } from '#test/machine/peer-process.ts'
import { startBaresip } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { isFocused, pressOn, reach } from './keyboard.ts'
import { hearsTone, speakTone } from './page-tones.ts'
import { startService } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

const [pages, bobs] = [620, 1150]

const bar = (page: Page): Locator => page.getByRole('region', { name: 'Your calls' })
const menu = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name, exact: true })

/** The used element is gone, but the focus must not return to the top of the page. */
const focusIsIn = (where: Locator): Promise<unknown> =>
  until('the focus', async () => ((await isFocused(where)) || (await where.locator(':focus').count()) > 0 ? true : undefined), 5_000)

/** Opens the global search and takes the first line with these words. */
const command = async (page: Page, typed: string, words: string): Promise<void> => {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search and open' }).waitFor()
  await page.keyboard.type(typed)
  const wanted = page.getByRole('option', { name: words }).first()
  await wanted.waitFor()
  for (let steps = 0; (await wanted.getAttribute('aria-selected')) !== 'true'; steps++) {
    assert.ok(steps < 20, `the arrow keys do not reach ${words}`)
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
}

test('operates the console by keyboard alone', { timeout: 120_000 }, async (t) => {
  if (!(await needs(t, 'chromium', 'baresip'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const { api, notes, sip } = service
  const bob = await startBaresip(t, { ...notes.sip, registrar: sip.replace('sip:', ''), tone: bobs })
  await bob.event('REGISTER_OK')
  const [line] = (await api.listPhonelines({ userId: 'w0' })).items
  assert.ok(line)
  const { id: numberId } = await service.operator.assignNumber(
    {},
    { accountId: notes.accountId, number: '+493090182000', addressId: (await api.listAddresses()).items[0]?.id ?? '' },
  )
  await api.changeNumber({ numberId }, { endpointId: line.id })
  await api.createContact({}, { name: 'Bob Berg', numbers: ['+493090182000'] })
  const visitor = await openVisitor(browser, service)
  const { page } = visitor
  await speakTone(page, pages)

  await t.test('logs in, and turns on ringing in this browser', async () => {
    await visitor.open('/')
    await page.keyboard.type(notes.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(notes.password)
    await page.keyboard.press('Enter')
    await pressOn(page, menu(page, 'Phone'))
    await reach(page, page.getByRole('switch', { name: 'Ring in this browser' }))
    await page.keyboard.press('Space')
    await page.getByText('Ready', { exact: true }).waitFor()
  })

  await t.test('finds a contact with Ctrl-K, calls it, mutes the microphone, and hangs up', async () => {
    await command(page, 'Bob', 'Call Bob Berg')
    await bob.answer()
    await hearsTone(page, bobs)
    await page.getByRole('status').getByText('In a call: Bob Berg').waitFor({ state: 'attached' })
    await reach(page, bar(page).getByRole('button', { name: 'Mute microphone' }))
    await page.keyboard.press('Space')
    await bar(page).getByRole('button', { name: 'Mute microphone', pressed: true }).waitFor()
    await pressOn(page, bar(page).getByRole('button', { name: 'Hang up' }))
    await bob.event('CALL_CLOSED')
    await focusIsIn(bar(page).getByRole('group', { name: 'Bob Berg' }))
  })

  await t.test('announces a ringing call, and answers it on the current page', async () => {
    await pressOn(page, menu(page, 'Calls'))
    await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor()
    await bob.dial('sip:' + line.id)
    const card = page.getByRole('alertdialog', { name: 'Incoming call' })
    await page.getByRole('alert').getByText('is calling').waitFor({ state: 'attached' })
    await focusIsIn(card)
    await pressOn(page, card.getByRole('button', { name: 'Accept' }))
    await hearsTone(page, bobs)
    await focusIsIn(bar(page))
    await command(page, 'hang', 'Hang up')
    await bob.event('CALL_CLOSED')
  })

  await t.test('leaves the focus in a text field during ringing, and answers with Ctrl-K', async () => {
    const search = page.getByRole('region', { name: 'History' }).getByRole('searchbox')
    await reach(page, search)
    await page.keyboard.type('0309')
    await bob.dial('sip:' + line.id)
    await page.getByRole('alertdialog', { name: 'Incoming call' }).waitFor()
    await page.keyboard.type('0182')
    assert.equal(await search.inputValue(), '03090182')
    await command(page, '', 'Accept call')
    await hearsTone(page, bobs)
    await bob.hangUp()
    await bar(page).getByText('Call ended').first().waitFor()
    await focusIsIn(search)
    await page.getByRole('table', { name: 'History' }).getByText('Bob Berg').first().waitFor()
  })

  await t.test('returns the focus to the button when a dialog opened from a menu closes', async () => {
    await pressOn(page, menu(page, 'Contacts'))
    const actions = page.getByRole('row').filter({ hasText: 'Bob Berg' }).getByRole('button').last()
    await pressOn(page, actions)
    await page.getByRole('menuitem', { name: 'Edit' }).waitFor()
    await focusIsIn(page.getByRole('menu')) // the menu takes the focus a moment after it is shown
    await page.keyboard.press('ArrowDown')
    await pressOn(page, page.getByRole('menuitem', { name: 'Edit' }))
    const dialog = page.getByRole('dialog', { name: 'Contact' })
    await focusIsIn(dialog)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await focusIsIn(actions)
  })

  await t.test('creates an assistant', async () => {
    await pressOn(page, menu(page, 'Assistants'))
    await pressOn(page, page.getByRole('button', { name: 'New assistant' }))
    await pressOn(page, page.getByRole('button', { name: 'Write a prompt' }))
    await pressOn(page, page.getByRole('button', { name: 'Create assistant' }))
    await page.getByText('No model yet: greeting and keys already work').waitFor()
    assert.deepEqual(visitor.troubles(), [])
  })
})
