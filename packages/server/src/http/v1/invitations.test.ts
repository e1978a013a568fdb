import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { withCode } from '#test/http/with-code.ts'
import { databases, startWorld, type World } from '#test/world/world.ts'

const day = 24 * 60 * 60 * 1000
const password = 'a good and own password'
const grace = { firstname: 'Grace', lastname: 'Hopper', password }

const nonceOf = ({ link = '' }: { link?: string }): string => link.split('/').at(-1) ?? ''

const mails = async (world: World): Promise<string[]> => {
  await world.running.idle()
  const folder = join(world.data, 'mail')
  const files = await readdir(folder).catch(() => [])
  return Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
}

for (const database of databases) {
  test(`${database}: creates the invited user with a chosen name and password and the invited role`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount('Example Ltd')
    const anyone = world.client()
    const sent = await ada.api.createInvitation(
      {},
      { email: 'Grace@Example.com', role: 'BILLING', lineName: 'Front desk', locale: 'de_DE' },
    )
    const [mail = ''] = await mails(world)
    assert.match(mail, /Einladung zu Example Ltd/)
    assert.match(mail, /grace@example.com/)
    const nonce = nonceOf(sent)
    assert.deepEqual(await anyone.readInvitation({ nonce }), {
      email: 'grace@example.com',
      firstname: '',
      lastname: '',
      role: 'BILLING',
      locale: 'de_DE',
      company: 'Example Ltd',
    })
    await assert.rejects(anyone.acceptInvitation({ nonce }, { ...grace, password: 'password1234' }), withCode('password_weak'))
    await assert.rejects(anyone.acceptInvitation({ nonce }, { ...grace, password: 'short' }), withCode('password_weak'))
    const { token } = await anyone.acceptInvitation({ nonce }, grace)
    await assert.rejects(anyone.acceptInvitation({ nonce }, grace), withCode('invitation_invalid'))
    assert.deepEqual((await ada.api.listInvitations()).items, [])

    const api = world.client(token)
    const { sub: userId } = await api.getUserInfo()
    const user = await api.getUser({ userId })
    assert.deepEqual([user.firstname, user.role, user.admin, user.locale, user.active], ['Grace', 'BILLING', false, 'de_DE', true])
    assert.deepEqual(
      (await api.listPhonelines({ userId })).items.map(({ alias }) => alias),
      ['Front desk'],
    )
    await api.getBalance()
    await assert.rejects(api.createFlow({}, { name: 'Bot' }), { status: 403 })
    await assert.rejects(api.createInvitation({}, { email: 'x@example.com' }), { status: 403 })
    await assert.rejects(api.changeUser({ userId }, { role: 'ADMIN' }), { status: 403 })
    await ada.api.changeUser({ userId }, { role: 'DEVELOPER' })
    await api.createFlow({}, { name: 'Bot' })
    await assert.rejects(api.getBalance(), { status: 403 })
    await anyone.createSessionToken({}, { username: 'GRACE@example.com', password })
  })

  test(`${database}: resends, withdraws and expires an invitation`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newAccount()
    const anyone = world.client()
    await assert.rejects(ada.api.createInvitation({}, { email: bob.email.toUpperCase() }), withCode('email_taken'))
    const first = await ada.api.createInvitation({}, { email: 'eve@example.com' })
    world.clock.set(8 * day)
    assert.equal((await ada.api.listInvitations()).items[0]?.expired, true)
    await assert.rejects(anyone.readInvitation({ nonce: nonceOf(first) }), withCode('invitation_invalid'))
    await assert.rejects(bob.api.resendInvitation({ invitationId: first.id }), { status: 404 }, 'of another account')
    const second = await ada.api.resendInvitation({ invitationId: first.id })
    await assert.rejects(anyone.readInvitation({ nonce: nonceOf(first) }), { status: 404 })
    await anyone.readInvitation({ nonce: nonceOf(second) })
    const third = await ada.api.createInvitation({}, { email: 'eve@example.com', role: 'ADMIN' })
    assert.equal((await ada.api.listInvitations()).items.length, 1, 'one for each address')
    await ada.api.deleteInvitation({ invitationId: third.id })
    await assert.rejects(anyone.acceptInvitation({ nonce: nonceOf(third) }, grace), { status: 404 })
    await assert.rejects(ada.api.deleteInvitation({ invitationId: third.id }), withCode('invitation_not_found'))
    for (let times = 0; times < 3; times++) await ada.api.createInvitation({}, { email: 'eve@example.com' })
    await assert.rejects(ada.api.createInvitation({}, { email: 'eve@example.com' }), { status: 429 }, 'a mailbox gets few')
    await (await world.operator()).closeAccount({ accountId: ada.accountId })
  })
}

test('requires a second factor first where the account demands one', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const sent = await ada.api.createInvitation({}, { email: 'grace@example.com' })
  await world.write((tables) => tables.accounts.setSecondFactor(ada.accountId, true))
  const { token, secondFactorMissing } = await world.client().acceptInvitation({ nonce: nonceOf(sent) }, grace)
  assert.equal(secondFactorMissing, true)
  await assert.rejects(world.client(token).listUsers(), withCode('second_factor_missing'))
})
