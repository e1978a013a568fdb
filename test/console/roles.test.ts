import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { startService } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

test('creates a role with a scope, ticks permissions by keyboard and gives it to a person', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const { api } = service
  const { id: groupId } = await api.createGroup({}, { alias: 'Support', members: ['w0'] })
  const bob = await service.operator.createUser(
    {},
    {
      accountId: service.notes.accountId,
      email: 'bob@example.com',
      password: 'a good and own password',
      firstname: 'Bob',
      lastname: 'B',
      locale: 'de_DE',
    },
  )
  const admin = await openVisitor(browser, service)
  const { page } = admin
  await admin.logIn()
  await admin.open('/roles')
  await page.getByText('No own roles yet').waitFor()
  await page.getByRole('button', { name: 'New role' }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Name' }).fill('Support desk')
  await form.getByRole('switch', { name: 'Only for some groups' }).focus()
  await page.keyboard.press('Space')
  await form.getByRole('combobox', { name: 'Groups' }).click()
  await page.getByRole('option', { name: 'Support' }).click()
  await page.keyboard.press('Tab')
  assert.deepEqual(await seriousViolations(page), [])
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Limited to 1 item · 0 people').waitFor()

  const seesCalls = page.getByRole('checkbox', { name: 'Support desk: See calls, recordings and timelines' })
  await seesCalls.focus()
  await page.keyboard.press('Space')
  await page.getByRole('checkbox', { name: 'Support desk: See calls, recordings and timelines', checked: true }).waitFor()
  assert.ok(await page.getByRole('checkbox', { name: 'Support desk: See contacts' }).isDisabled(), 'not about groups, lines or assistants')
  assert.deepEqual(await seriousViolations(page), [])
  const [role] = (await api.listRoles()).items
  assert.deepEqual([role?.permissions, role?.scope?.groups], [['CAN_GET_HISTORY'], [groupId]])

  await admin.open(`/users/${bob.id}`)
  await page.getByRole('combobox', { name: 'Own roles' }).click()
  await page.getByRole('option', { name: 'Support desk' }).click()
  await page.getByText('Saved').first().waitFor()
  assert.deepEqual((await api.getUser({ userId: bob.id })).roleIds, [role?.id])
  assert.deepEqual(await seriousViolations(page), [])

  const member = await openVisitor(browser, service, { language: 'de' })
  await member.open('/')
  await member.page.locator('input[autocomplete="username"]').fill('bob@example.com')
  await member.page.locator('input[autocomplete="current-password"]').fill('a good and own password')
  await member.page.locator('button[type="submit"]').click()
  await member.page.locator('#content').waitFor()
  const menu = member.page.getByRole('navigation')
  await menu.getByRole('link', { name: 'Anrufe' }).first().waitFor()
  assert.equal(await menu.getByRole('link', { name: 'Kosten' }).count(), 0)
})
